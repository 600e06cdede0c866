package io.millrace.store.duckdb.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.duckdb.sql.Ast;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.duckdb.DuckDBConnection;

/**
 * Limits the sizes of the values that a query creates.
 *
 * <p>DuckDB checks its memory limit and interrupts between steps, each of which evaluates the
 * expressions of an operator for 2,048 rows. What a function allocates within a step is not counted
 * and cannot be interrupted, so long values must be prevented. For each expression, the maximum
 * size of its values is derived from the query; columns count as long as a DNS name. Anything that
 * may exceed {@link #MAX_BYTES} is rejected. If the size is known only when the query runs, a
 * condition is added that ends the query: around the counts that {@code range}, {@code repeat} and
 * similar functions take, and around the results of {@code string_agg}, {@code list} and the like.
 *
 * <p>Serves one query, on one thread.
 */
final class ValueBounds {
  static final int MAX_BYTES = 64 << 10;

  static final int MAX_ROW_BYTES = 256 << 10;

  private static final int MAX_NODES = 20_000;

  private static final int MAX_COLUMNS = 100;

  private static final int RECURSIONS = 64;

  /** Added to the start value of a reduction, to see whether steps add more to longer values. */
  private static final ValueSize FAR = new ValueSize(1_024, 1_024, 1);

  private static final Pattern PLAIN_NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_]*");

  private final ValueGuards guards;
  private final FunctionSizes functions;

  private Map<String, ValueSize> names = new HashMap<>();

  private ValueSize unnamed = ValueSize.COLUMN;

  private double rowBytes;

  ValueBounds(DuckDBConnection connection) {
    guards = new ValueGuards(connection);
    functions = new FunctionSizes(guards::isGuard);
  }

  /**
   * The query with the conditions that it needs; the same node if it needs none.
   *
   * @throws io.millrace.store.QueryException if its values might get too long
   */
  JsonNode bounded(JsonNode query) throws SQLException {
    JsonNode guarded = guards.guarded(query);
    int rounds =
        Ast.has(guarded, node -> node.path("type").asText().equals("RECURSIVE_CTE_NODE"))
            ? RECURSIONS
            : depth(guarded);
    for (int i = 0; i < rounds; i++) {
      Map<String, ValueSize> before = Map.copyOf(names);
      ValueSize unnamedBefore = unnamed;
      query(guarded, List.of());
      if (before.equals(names) && unnamedBefore.equals(unnamed)) {
        break;
      }
    }
    return guarded;
  }

  private static int depth(JsonNode node) {
    int deepest = 0;
    int named = 0;
    for (JsonNode child : node) {
      deepest = Math.max(deepest, depth(child));
    }
    for (JsonNode entry : node.path("cte_map").path("map")) {
      named += depth(entry);
    }
    return Math.min(
        RECURSIONS, deepest + named + (node.path("type").asText().equals("SELECT_NODE") ? 1 : 0));
  }

  private ValueSize query(JsonNode node, List<String> called) {
    for (JsonNode entry : node.path("cte_map").path("map")) {
      JsonNode value = entry.path("value");
      query(value.path("query_node"), texts(value.path("aliases")));
    }
    ValueSize longest = ValueSize.NUMBER;
    List<String> columns = called.isEmpty() ? columns(node) : called;
    for (JsonNode part : parts(node)) {
      longest = longest.or(query(part, columns));
    }
    from(node.path("from_table"));
    if (!node.has("select_list")) {
      return longest;
    }
    rowBytes = 0;
    Map<String, ValueSize> around = names;
    names = new HashMap<>(names); // sizes by the aliases of this SELECT
    int at = 0;
    for (JsonNode expression : node.path("select_list")) {
      ValueSize size = size(expression, Map.of());
      longest = longest.or(size);
      String alias = expression.path("alias").asText();
      String name = at < called.size() ? called.get(at) : alias;
      if (!name.isEmpty()) {
        name(names, name, size);
      }
      if (!alias.isEmpty() && !alias.equals(name)) {
        name(names, alias, size);
      }
      if (name.isEmpty() && !expression.path("type").asText().equals("COLUMN_REF")) {
        unnamed = unnamed.or(size);
      }
      at++;
    }
    for (String rest :
        List.of("where_clause", "group_expressions", "having", "qualify", "modifiers")) {
      sizes(node.path(rest), Map.of());
    }
    names.forEach((name, size) -> name(around, name, new ValueSize(size.items(), size.bytes(), 1)));
    names = around;
    unnamed = new ValueSize(unnamed.items(), unnamed.bytes(), 1);
    return new ValueSize(longest.items(), longest.bytes(), 1);
  }

  private static void name(Map<String, ValueSize> names, String name, ValueSize size) {
    ValueSize before = names.getOrDefault(name.toLowerCase(Locale.ROOT), ValueSize.NUMBER);
    names.put(
        name.toLowerCase(Locale.ROOT),
        new ValueSize(
            Math.max(size.items(), before.items()),
            Math.max(size.bytes(), before.bytes()),
            Math.max(size.nodes(), before.nodes())));
  }

  private static List<JsonNode> parts(JsonNode query) {
    List<JsonNode> parts = new ArrayList<>();
    query.path("children").forEach(parts::add);
    for (String side : List.of("left", "right")) {
      if (query.path(side).isObject()) {
        parts.add(query.path(side));
      }
    }
    return parts;
  }

  private static List<String> columns(JsonNode query) {
    List<JsonNode> parts = parts(query);
    if (!parts.isEmpty()) {
      return columns(parts.get(0));
    }
    List<String> columns = new ArrayList<>();
    for (JsonNode expression : query.path("select_list")) {
      String alias = expression.path("alias").asText();
      JsonNode column = expression.path("column_names");
      columns.add(alias.isEmpty() ? column.path(column.size() - 1).asText() : alias);
    }
    return columns;
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private void from(JsonNode table) {
    if (table.path("type").asText().equals("SUBQUERY")) {
      query(table.path("subquery").path("node"), texts(table.path("column_name_alias")));
      return;
    }
    if (table.path("type").asText().equals("TABLE_FUNCTION")) {
      ValueSize item = sizes(table.path("function").path("arguments"), Map.of());
      unnamed = unnamed.or(item);
      name(names, "unnest", item);
      texts(table.path("column_name_alias")).forEach(name -> name(names, name, item));
      name(names, table.path("alias").asText(), item);
      return;
    }
    if (table.path("class").isTextual()) {
      size(table, Map.of());
      return;
    }
    if (table.path("type").asText().equals("EXPRESSION_LIST")) {
      ValueSize value = sizes(table.path("values"), Map.of());
      unnamed = unnamed.or(value);
      texts(table.path("column_name_alias")).forEach(name -> name(names, name, value));
      return;
    }
    table.forEach(this::from);
  }

  private ValueSize sizes(JsonNode node, Map<String, ValueSize> parameters) {
    if (node.path("class").isTextual()) {
      return size(node, parameters);
    }
    return below(node, parameters);
  }

  private ValueSize below(JsonNode node, Map<String, ValueSize> parameters) {
    ValueSize all = new ValueSize(0, 0, 0);
    for (JsonNode child : node) {
      all = all.and(sizes(child, parameters));
    }
    return all;
  }

  private ValueSize size(JsonNode node, Map<String, ValueSize> parameters) {
    ValueSize size = made(node, parameters);
    if (size.nodes() > MAX_NODES) {
      throw Sandbox.rejected("aliases that expand to more than " + MAX_NODES + " expressions");
    }
    return size;
  }

  private ValueSize made(JsonNode node, Map<String, ValueSize> parameters) {
    return switch (node.path("class").asText()) {
      case "CONSTANT" -> {
        int length = node.path("literal").path("text").asText().length();
        yield new ValueSize(length, length, 1);
      }
      case "COLUMN_REF" -> column(texts(node.path("column_names")), parameters);
      case "FUNCTION" -> counted(node, function(node, parameters));
      case "WINDOW" -> {
        String name = node.path("function_name").asText().toLowerCase(Locale.ROOT);
        List<JsonNode> given = new ArrayList<>();
        node.path("arguments").forEach(argument -> given.add(argument.path("expression")));
        boolean keepsMany = functions.kept(name, node, given, 0) != null;
        if (keepsMany || FunctionSizes.isLongWithOver(name)) {
          throw Sandbox.rejected(
              name
                  + (keepsMany ? " of several values" : "")
                  + " with OVER: its memory is quadratic in the rows");
        }
        yield below(node, parameters);
      }
      case "SUBQUERY" -> {
        double outer = rowBytes;
        ValueSize inner = query(node.path("subquery").path("node"), List.of());
        rowBytes = outer;
        ValueSize compared = below(node.path("child"), parameters);
        yield node.path("subquery_type").asText().equals("SCALAR")
            ? inner
            : compared.of(ValueSize.NUMBER);
      }
      case "CASE" -> {
        ValueSize either = new ValueSize(0, 0, 1);
        for (JsonNode check : node.path("case_checks")) {
          ValueSize when = size(check.path("when_expr"), parameters).of(ValueSize.NUMBER);
          either = either.or(when).or(size(check.path("then_expr"), parameters));
        }
        yield either.or(sizes(node.path("else_expr"), parameters));
      }
      case "CAST" -> counted(node, below(node, parameters).times(2).and(ValueSize.NUMBER));
      case "COMPARISON", "CONJUNCTION", "BETWEEN" -> below(node, parameters).of(ValueSize.NUMBER);
      case "OPERATOR" -> {
        ValueSize operands = below(node, parameters);
        String type = node.path("type").asText();
        if (type.equals("OPERATOR_UNPACK")) {
          yield operands.times(MAX_COLUMNS);
        }
        yield type.contains("COMPARE") || type.contains("NOT") || type.contains("NULL")
            ? operands.of(ValueSize.NUMBER)
            : operands;
      }
      case "STAR" -> ValueSize.COLUMN;
      case "LAMBDA" -> { // not after a list: JSON, and a path in it
        ValueSize json = size(node.path("lhs"), parameters);
        ValueSize path = size(node.path("expr"), parameters);
        yield counted(node, functions.extracted(node.path("expr"), json, path));
      }
      case "TYPE" -> type(node);
      default -> below(node, parameters);
    };
  }

  private static ValueSize type(JsonNode node) {
    ValueSize item = ValueSize.NUMBER;
    for (JsonNode inner : node.path("children")) {
      Double length = FunctionSizes.constant(inner);
      if (length != null && node.path("type_name").asText().equalsIgnoreCase("array")) {
        item = item.times(length);
      } else if (inner.path("class").asText().equals("TYPE")) {
        item = item.or(type(inner));
      }
    }
    if (item.items() > FunctionSizes.MAX_ITEMS) {
      throw Sandbox.rejected("an array of more than " + FunctionSizes.MAX_ITEMS + " items");
    }
    return item;
  }

  private ValueSize counted(JsonNode node, ValueSize made) {
    double times = Ast.has(node, ValueBounds::isEachColumn) ? MAX_COLUMNS : 1;
    rowBytes += made.bytes() > ValueSize.NUMBER.bytes() ? times * made.bytes() : 0;
    if (made.bytes() > MAX_BYTES) {
      throw FunctionSizes.tooLong(
          node, "values of up to %.0f bytes".formatted(made.bytes()), MAX_BYTES);
    }
    if (rowBytes > MAX_ROW_BYTES) {
      throw FunctionSizes.tooLong(
          node, "values of up to %.0f bytes together".formatted(rowBytes), MAX_ROW_BYTES);
    }
    return made;
  }

  private static boolean isEachColumn(JsonNode node) {
    return node.path("class").asText().equals("STAR") && node.path("columns").asBoolean();
  }

  private ValueSize column(List<String> path, Map<String, ValueSize> parameters) {
    ValueSize parameter = parameters.get(path.get(0).toLowerCase(Locale.ROOT));
    if (parameter != null) {
      return parameter;
    }
    String name = path.get(path.size() - 1).toLowerCase(Locale.ROOT);
    ValueSize known = names.get(name);
    if (known == null) {
      return PLAIN_NAME.matcher(name).matches() ? ValueSize.COLUMN : unnamed;
    }
    return new ValueSize(
        Math.max(known.items(), ValueSize.COLUMN.items()),
        Math.max(known.bytes(), ValueSize.COLUMN.bytes()),
        known.nodes());
  }

  private ValueSize function(JsonNode call, Map<String, ValueSize> parameters) {
    String name = Ast.function(call);
    JsonNode arguments = call.path("arguments");
    List<JsonNode> given = new ArrayList<>();
    arguments.forEach(argument -> given.add(argument.path("expression")));
    // With one argument, an arrow is the operator -> of JSON, not a lambda.
    if (given.size() > 1 && given.get(1).path("class").asText().equals("LAMBDA")) {
      return lambda(call, given, parameters);
    }
    List<ValueSize> sizes = new ArrayList<>();
    given.forEach(one -> sizes.add(size(one, parameters)));
    ValueSize all = sizes.stream().reduce(new ValueSize(0, 0, 1), ValueSize::and);
    sizes(call.path("filter"), parameters);
    sizes(call.path("order_bys"), parameters);
    return all.of(functions.made(name, call, given, sizes, all));
  }

  private ValueSize lambda(JsonNode call, List<JsonNode> given, Map<String, ValueSize> parameters) {
    ValueSize list = size(given.get(0), parameters);
    JsonNode lambda = given.get(1);
    List<String> named = parameters(lambda.path("lhs"));
    String name = Ast.function(call);
    boolean reduces = name.endsWith("reduce");
    ValueSize start = reduces && given.size() > 2 ? size(given.get(2), parameters) : list.item();
    double outer = rowBytes;
    ValueSize body = body(lambda, named, list, start, parameters);
    double eachBytes = rowBytes - outer;
    if (reduces) {
      ValueSize again = body(lambda, named, list, body, parameters);
      double grows = Math.max(0, again.bytes() - body.bytes());
      ValueSize longer = start.and(FAR);
      double growsLonger = body(lambda, named, list, longer, parameters).bytes() - longer.bytes();
      boolean doubles = growsLonger > grows + FAR.bytes() / 8;
      body =
          new ValueSize(
              1,
              doubles ? Double.POSITIVE_INFINITY : body.bytes() + grows * list.items(),
              body.nodes());
      eachBytes = body.bytes();
    }
    rowBytes = outer;
    ValueSize each =
        new ValueSize(list.items(), list.items() * Math.max(eachBytes, body.bytes()), 1);
    counted(call, each); // all elements are in memory at once
    return list.and(body).of(reduces ? body : name.endsWith("filter") ? list : each);
  }

  private ValueSize body(
      JsonNode lambda,
      List<String> named,
      ValueSize list,
      ValueSize first,
      Map<String, ValueSize> parameters) {
    Map<String, ValueSize> all = new HashMap<>(parameters);
    for (int i = 0; i < named.size(); i++) {
      all.put(
          named.get(i),
          i == 0 ? first : i == 1 ? list.item().or(ValueSize.NUMBER) : ValueSize.NUMBER);
    }
    return size(lambda.path("expr"), all);
  }

  private static List<String> parameters(JsonNode left) {
    List<String> names = new ArrayList<>();
    if (left.has("column_names")) {
      names.add(left.path("column_names").path(0).asText().toLowerCase(Locale.ROOT));
    }
    for (JsonNode argument : left.path("arguments")) {
      names.addAll(parameters(argument.path("expression")));
    }
    return names;
  }
}
