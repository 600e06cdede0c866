package io.millrace.store.duckdb.rewrite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.duckdb.sql.Ast;
import io.millrace.store.duckdb.sql.SqlFunctions;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.rollup.Grain;
import java.math.BigInteger;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.duckdb.DuckDBConnection;

/**
 * Converts a SELECT of sums of groups to one over rollups.
 *
 * <p>{@link RollupAggregates} converts the aggregates. Anything else that needs single rows makes
 * the SELECT unsupported. Groups without rows, whose sums are zero, are excluded.
 */
final class RollupSelect {
  private static final Map<String, Long> TRUNCATIONS =
      Map.ofEntries(
          Map.entry("minute", Grain.MINUTE.micros()),
          Map.entry("hour", Grain.HOUR.micros()),
          Map.entry("day", Grain.DAY.micros()),
          Map.entry("week", Grain.DAY.micros()),
          Map.entry("month", Grain.DAY.micros()),
          Map.entry("quarter", Grain.DAY.micros()),
          Map.entry("year", Grain.DAY.micros()));

  private final DuckDBConnection connection;
  private final SqlFunctions functions;
  private final FlowView view;
  private final ObjectNode node;
  private final TimeWindow window;
  private final Set<String> aliases = new LinkedHashSet<>();
  private final Set<String> stored = new LinkedHashSet<>();
  private final Map<String, ViewColumn> columns = new LinkedHashMap<>();
  private final boolean isGrouped;
  private final RollupAggregates aggregates;
  private boolean isSupported = true;
  private boolean hasAggregate;
  private long bucketMicros;

  RollupSelect(
      DuckDBConnection connection, SqlFunctions functions, FlowView view, ObjectNode node) {
    this.connection = connection;
    this.functions = functions;
    this.view = view;
    this.node = node;
    window = new TimeWindow(functions, view);
    isGrouped = !node.path("group_expressions").isEmpty();
    aggregates = new RollupAggregates(connection, view, isGrouped);
  }

  TimeWindow window() {
    return window;
  }

  Set<String> stored() {
    return stored;
  }

  /** A bucket must lie within one multiple of this length, microseconds; 0 for any. */
  long bucketMicros() {
    return bucketMicros;
  }

  Set<String> neverNull() {
    return aggregates.neverNull();
  }

  List<ViewColumn> columns() {
    Map<String, ViewColumn> all = new LinkedHashMap<>(columns);
    all.putAll(aggregates.columns());
    return List.copyOf(all.values());
  }

  boolean convert() throws SQLException {
    for (JsonNode item : node.path("select_list")) {
      String alias = item.path("alias").asText();
      ViewColumn hidden = view.column(alias);
      isSupported &= hidden == null || hidden.equals(view.column(item)) || isTime(hidden);
      aliases.add(alias.toLowerCase(java.util.Locale.ROOT));
    }
    convertWhere(node.path("where_clause"), true);
    aliases.remove("");
    Set<String> known = Set.copyOf(aliases);
    aliases.clear();
    convertAll((ArrayNode) node.path("select_list"));
    aliases.addAll(known);
    convertAll((ArrayNode) node.path("group_expressions"));
    convertField(node, "having");
    for (JsonNode modifier : node.path("modifiers")) {
      for (JsonNode order : modifier.path("orders")) {
        convertField((ObjectNode) order, "expression");
      }
    }
    if (isSupported && (isGrouped || hasAggregate) && window.evaluate(connection)) {
      if (isGrouped) {
        excludeEmptyGroups();
      }
      return true;
    }
    return false;
  }

  /**
   * A bucket may be named {@code time}, as Grafana requires. Elsewhere this name is the column,
   * whose values no set has, so that only conditions on it and buckets of it are supported.
   */
  private static boolean isTime(ViewColumn column) {
    return column.isPlain() && column.stored().contains("time");
  }

  private void excludeEmptyGroups() throws SQLException {
    JsonNode having = node.path("having");
    ObjectNode some = aggregates.hasRows();
    if (having.isNull()) {
      node.set("having", some);
    } else {
      ObjectNode both = Ast.expression(connection, "a AND b");
      ((ArrayNode) both.path("children")).set(0, having);
      ((ArrayNode) both.path("children")).set(1, some);
      node.set("having", both);
    }
  }

  private void convertWhere(JsonNode condition, boolean isNeeded) throws SQLException {
    if (condition.path("type").asText().equals("CONJUNCTION_AND")) {
      for (JsonNode child : condition.path("children")) {
        convertWhere(child, isNeeded);
      }
    } else if (!window.take(condition)) {
      converted(condition);
    } else {
      columns.putIfAbsent("time", window.column());
    }
  }

  private void convertAll(ArrayNode list) throws SQLException {
    for (int i = 0; i < list.size(); i++) {
      list.set(i, converted(list.get(i)));
    }
  }

  private void convertField(ObjectNode parent, String field) throws SQLException {
    parent.set(field, converted(parent.path(field)));
  }

  private JsonNode converted(JsonNode expression) throws SQLException {
    if (functions.isAggregate(expression)) {
      ObjectNode sum = aggregates.converted(expression);
      isSupported &= sum != null;
      hasAggregate = true;
      return sum == null ? expression : sum.put("alias", expression.path("alias").asText());
    }
    isSupported &=
        !functions.isVolatile(expression) && !expression.path("type").asText().equals("STAR");
    if (!expression.path("column_names").isEmpty()) {
      take(expression);
      return expression;
    }
    if (isBucketOfTime(expression)) {
      columns.putIfAbsent("time", window.column());
      return expression;
    }
    if (expression instanceof ObjectNode object) {
      List<String> fields = new ArrayList<>();
      object.fieldNames().forEachRemaining(fields::add);
      for (String field : fields) {
        convertField(object, field);
      }
    } else if (expression instanceof ArrayNode array) {
      convertAll(array);
    }
    return expression;
  }

  private void take(JsonNode reference) {
    ViewColumn column = view.column(reference);
    if (column == null) {
      JsonNode names = reference.path("column_names");
      isSupported &=
          names.size() == 1
              && aliases.contains(names.path(0).asText().toLowerCase(java.util.Locale.ROOT));
    } else {
      stored.addAll(column.stored());
      columns.put(column.name(), column);
    }
  }

  private boolean isBucketOfTime(JsonNode expression) throws SQLException {
    JsonNode arguments = expression.path("arguments");
    JsonNode length = arguments.path(0).path("expression");
    ViewColumn of = view.column(arguments.path(1).path("expression"));
    if (arguments.size() != 2 || of == null || !isTime(of)) {
      return false;
    }
    long micros =
        switch (Ast.function(expression)) {
          case "date_trunc", "datetrunc" ->
              TRUNCATIONS.getOrDefault(
                  length.path("literal").path("text").asText().toLowerCase(java.util.Locale.ROOT),
                  0L);
          case "time_bucket" -> functions.isConstant(length) ? micros(length) : 0;
          default -> 0;
        };
    if (micros <= 0 || micros % Grain.MINUTE.micros() != 0) {
      return false;
    }
    bucketMicros =
        BigInteger.valueOf(bucketMicros).gcd(BigInteger.valueOf(micros)).longValueExact();
    return true;
  }

  private long micros(JsonNode interval) throws SQLException {
    return SqlRows.number(
        connection,
        "SELECT coalesce(try(epoch_us('epoch'::TIMESTAMP + (%s))), 0)"
            .formatted(Ast.expression(connection, interval)));
  }
}
