package io.millrace.store.duckdb.rewrite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.store.duckdb.sandbox.Sandbox;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.duckdb.sql.Ast;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.duckdb.DuckDBConnection;

/**
 * Groups by stored values and looks up names only for the resulting groups.
 *
 * <p>{@code SELECT asS, asD, count(*) … FROM netdata GROUP BY asS, asD ORDER BY … LIMIT 10} becomes
 * the same query over numbers, whose ten rows are then joined with {@code names}. The groups are
 * the same because stored values and texts are one to one ({@link ViewColumn}, {@link
 * NameDictionary}). Supports plain queries over one view that group by its columns, and neither
 * compute with the readable form of one, nor sort by it, nor filter groups by it. A WHERE clause
 * sees the readable form as before.
 */
final class LateNames {
  private static final Set<String> UNUSUAL = Set.of("WINDOW", "SUBQUERY", "PARAMETER");
  private static final String SECOND = "__2";
  private static final String READABLE = "__text";

  private final Map<String, FlowView> views;

  LateNames(Map<String, FlowView> views) {
    this.views = views;
  }

  String rewrite(
      DuckDBConnection connection, Sandbox.CheckedQuery query, long rowLimit, String window)
      throws SQLException {
    FlowView view = plainView(query.node(), query.cteNames(), views);
    return view == null
        ? null
        : rewrite(
            connection,
            query.node(),
            view,
            query.body(),
            () -> names(connection, query),
            rowLimit,
            window);
  }

  interface Names {
    List<String> get() throws SQLException;
  }

  static String rewrite(
      DuckDBConnection connection,
      JsonNode select,
      FlowView wide,
      String words,
      Names names,
      long rowLimit,
      String window)
      throws SQLException {
    ObjectNode node = select.deepCopy();
    AddressFilter filter = AddressFilter.of(node, wide);
    FlowView view = filter.narrowed();
    expandStar(node, view);
    Set<String> groups = groups(node, view);
    boolean streams = node.path("group_expressions").isEmpty() && node.path("modifiers").isEmpty();
    if (groups == null
        || streams
        || !outputFits(node, view, groups)
        || !orderFits(node, view, groups)
        || !fits(node.path("having"), node, view, groups)) {
      return null;
    }
    ObjectNode inner = node.deepCopy();
    renameInWhere(inner.path("where_clause"), view, groups);
    List<String> seconds = addSecondColumns(inner, view, groups);
    setFrom(connection, inner, view, words, groups, filter.condition(window));
    String innerSql = Ast.toSql(connection, inner);
    String limited = "SELECT * FROM (" + innerSql + ") LIMIT " + rowLimit;
    return outer(names.get(), node, view, groups, seconds, limited);
  }

  /** The view of a SELECT from one view without unsupported clauses; null for any other. */
  static FlowView plainView(JsonNode node, Set<String> cteNames, Map<String, FlowView> views) {
    JsonNode from = node.path("from_table");
    String name = from.path("table_name").asText().toLowerCase(Locale.ROOT);
    boolean plain =
        node.path("type").asText().equals("SELECT_NODE")
            && from.path("type").asText().equals("BASE_TABLE")
            && from.path("qualified_name").path("path").size() == 1
            && from.path("sample").isNull()
            && from.path("at_clause").isNull()
            && from.path("column_name_alias").isEmpty()
            && node.path("cte_map").path("map").isEmpty()
            && cteNames.isEmpty()
            && node.path("qualify").isNull()
            && node.path("sample").isNull()
            && node.path("group_sets").size() <= 1
            && node.path("aggregate_handling").asText().equals("STANDARD_HANDLING")
            && !Ast.has(node, part -> UNUSUAL.contains(part.path("class").asText()));
    for (JsonNode modifier : node.path("modifiers")) {
      String type = modifier.path("type").asText();
      plain &= type.equals("ORDER_MODIFIER") || type.equals("LIMIT_MODIFIER");
    }
    return plain ? views.get(name) : null;
  }

  private static void expandStar(ObjectNode node, FlowView view) {
    JsonNode only = node.path("select_list").path(0);
    if (node.path("select_list").size() != 1
        || !only.path("type").asText().equals("STAR")
        || !only.path("exclude_list").isEmpty()
        || !only.path("replace_list").isEmpty()
        || !only.path("rename_list").isEmpty()
        || !only.path("expr").isNull()) {
      return;
    }
    ArrayNode list = node.putArray("select_list");
    view.columns().forEach(column -> list.add(reference(column.name())));
  }

  static ObjectNode reference(String column) {
    ObjectNode reference = JsonNodeFactory.instance.objectNode();
    reference.put("class", "COLUMN_REF").put("type", "COLUMN_REF").put("alias", "");
    reference.putArray("column_names").add(column);
    return reference;
  }

  /**
   * Lower-case names of the grouping columns; null if there are other expressions, or all are
   * plain.
   */
  private static Set<String> groups(JsonNode node, FlowView view) {
    Set<String> groups = new TreeSet<>();
    boolean readable = false;
    boolean grouping = !node.path("group_expressions").isEmpty();
    for (JsonNode expression : node.path(grouping ? "group_expressions" : "select_list")) {
      JsonNode item = grouping ? ordinal(expression, node) : expression;
      ViewColumn column = item == null ? null : column(item, view);
      if (column == null) {
        return null;
      }
      readable |= !column.isPlain();
      groups.add(key(column));
    }
    return readable ? groups : null;
  }

  private static JsonNode ordinal(JsonNode expression, JsonNode node) {
    if (!expression.path("literal").path("kind").asText().equals("INTEGER")) {
      return expression;
    }
    return node.path("select_list").get(expression.path("literal").path("text").asInt() - 1);
  }

  private static ViewColumn column(JsonNode expression, FlowView view) {
    JsonNode names = expression.path("column_names");
    return names.isEmpty() ? null : view.column(names.path(names.size() - 1).asText());
  }

  private static String key(ViewColumn column) {
    return column.name().toLowerCase(Locale.ROOT);
  }

  private static boolean outputFits(JsonNode node, FlowView view, Set<String> groups) {
    for (JsonNode item : node.path("select_list")) {
      ViewColumn column = column(item, view);
      boolean fits =
          column != null ? groups.contains(key(column)) : !touchesReadable(item, view, groups);
      // An alias that is also the name of a column would be ambiguous in the rewritten query.
      ViewColumn hidden = view.column(item.path("alias").asText());
      if (!fits || (hidden != null && !hidden.equals(column))) {
        return false;
      }
    }
    return true;
  }

  private static boolean touchesReadable(JsonNode node, FlowView view, Set<String> groups) {
    return Ast.has(
        node,
        part -> {
          ViewColumn column = column(part, view);
          return column != null && !column.isPlain() && groups.contains(key(column));
        });
  }

  private static boolean orderFits(JsonNode node, FlowView view, Set<String> groups) {
    for (JsonNode modifier : node.path("modifiers")) {
      for (JsonNode order : modifier.path("orders")) {
        if (!fits(ordinal(order.path("expression"), node), node, view, groups)) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean fits(
      JsonNode expression, JsonNode node, FlowView view, Set<String> groups) {
    if (expression == null || touchesReadable(expression, view, groups)) {
      return false;
    }
    for (JsonNode item : node.path("select_list")) {
      boolean named = mentionsName(expression, item.path("alias").asText());
      if (named && touchesReadable(item, view, groups)) {
        return false;
      }
    }
    return true;
  }

  private static boolean mentionsName(JsonNode node, String alias) {
    return !alias.isEmpty()
        && Ast.has(
            node,
            part ->
                Ast.has(part.path("column_names"), name -> name.asText().equalsIgnoreCase(alias)));
  }

  private static void renameInWhere(JsonNode node, FlowView view, Set<String> groups) {
    ViewColumn column = column(node, view);
    if (column != null && !column.isPlain() && groups.contains(key(column))) {
      ArrayNode names = (ArrayNode) node.path("column_names");
      names.set(names.size() - 1, column.name() + READABLE);
    }
    for (JsonNode child : node) {
      renameInWhere(child, view, groups);
    }
  }

  private static List<String> addSecondColumns(ObjectNode node, FlowView view, Set<String> groups) {
    List<String> seconds = new ArrayList<>();
    ArrayNode expressions = (ArrayNode) node.path("group_expressions");
    for (String group : groups) {
      ViewColumn column = view.column(group);
      if (column.stored().size() == 2) {
        if (!expressions.isEmpty()) {
          ((ArrayNode) node.path("group_sets").path(0)).add(expressions.size());
          expressions.add(reference(column.name() + SECOND));
        }
        ((ArrayNode) node.path("select_list")).add(reference(column.name() + SECOND));
        seconds.add(group);
      }
    }
    return seconds;
  }

  private static void setFrom(
      DuckDBConnection connection,
      ObjectNode node,
      FlowView view,
      String words,
      Set<String> groups,
      String condition)
      throws SQLException {
    List<String> list = new ArrayList<>();
    StringBuilder joins = new StringBuilder();
    String mentioned = words.toLowerCase(Locale.ROOT);
    for (ViewColumn column : view.columns()) {
      List<String> stored =
          column.stored().stream().map(name -> "f." + Catalog.quoted(name)).toList();
      boolean grouped = groups.contains(key(column));
      if (grouped) {
        list.add(stored.get(0) + " AS " + Catalog.quoted(column.name()));
        if (stored.size() == 2) {
          list.add(stored.get(1) + " AS " + Catalog.quoted(column.name() + SECOND));
        }
      }
      boolean readable =
          grouped
              ? !column.isPlain()
                  && mentionsName(node.path("where_clause"), column.name() + READABLE)
              : mentioned.contains(key(column));
      if (readable) {
        String alias = "n" + list.size();
        if (column.nameOf() >= 0) {
          joins.append(FlowView.joinNames(alias, stored.get(column.nameOf())));
        }
        String name = grouped ? column.name() + READABLE : column.name();
        list.add(column.readable(stored, alias + ".name") + " AS " + Catalog.quoted(name));
      }
    }
    String where = condition.isEmpty() ? "" : " WHERE " + condition;
    String select = "SELECT " + String.join(", ", list) + view.from() + joins + where;
    String alias = node.path("from_table").path("alias").asText();
    String from =
        "SELECT 1 FROM (%s) AS %s"
            .formatted(select, Catalog.quoted(alias.isEmpty() ? view.name() : alias));
    node.set("from_table", Ast.parse(connection, from).path("from_table"));
  }

  static List<String> names(DuckDBConnection connection, Sandbox.CheckedQuery query)
      throws SQLException {
    try (java.sql.PreparedStatement prepared = connection.prepareStatement(query.body())) {
      ResultSetMetaData meta = prepared.getMetaData();
      List<String> names = new ArrayList<>();
      for (int i = 1; i <= meta.getColumnCount(); i++) {
        names.add(meta.getColumnName(i));
      }
      return names;
    }
  }

  private static String outer(
      List<String> names,
      JsonNode node,
      FlowView view,
      Set<String> groups,
      List<String> seconds,
      String inner) {
    List<String> list = new ArrayList<>();
    List<String> columns = new ArrayList<>();
    StringBuilder joins = new StringBuilder();
    for (int i = 0; i < names.size(); i++) {
      String value = "c" + i;
      columns.add(value);
      ViewColumn column = column(node.path("select_list").path(i), view);
      if (column != null && !column.isPlain() && groups.contains(key(column))) {
        List<String> values =
            column.stored().size() == 2
                ? List.of("q." + value, "q.x" + seconds.indexOf(key(column)))
                : List.of("q." + value);
        if (column.nameOf() >= 0) {
          joins.append(FlowView.joinNames("n" + i, values.get(column.nameOf())));
        }
        value = column.readable(values, "n" + i + ".name");
      } else {
        value = "q." + value;
      }
      list.add(value + " AS " + Catalog.quoted(names.get(i)));
    }
    for (int i = 0; i < seconds.size(); i++) {
      columns.add("x" + i);
    }
    return "SELECT %s FROM (SELECT *, row_number() OVER () FROM (%s)) AS q(%s, place)%s ORDER BY q.place"
        .formatted(String.join(", ", list), inner, String.join(", ", columns), joins);
  }
}
