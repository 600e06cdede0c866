package io.millrace.store.duckdb;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
 * A SELECT that asks for sums of groups, turned into one over sums.
 *
 * <p>Counts become sums of the numbers of rows; sums of bytes and packets stay, since a sum of sums
 * is one. Anything else that looks into single rows makes the SELECT unfit. Groups without rows,
 * whose sums have been taken back, are left out.
 */
final class RollupSelect {
  /** Names in the new FROM clause for what the view does not have. */
  private static final String ROWS = "__rows";

  private static final String SCALED = "__scaled_";
  private static final Set<String> COUNTED = Set.of("bytes", "packets");
  private static final Map<String, Long> TRUNCATIONS =
      Map.ofEntries(
          Map.entry("minute", Grain.MINUTE.micros()),
          Map.entry("hour", Grain.HOUR.micros()),
          Map.entry("day", Grain.HOUR.micros()),
          Map.entry("week", Grain.HOUR.micros()),
          Map.entry("month", Grain.HOUR.micros()),
          Map.entry("quarter", Grain.HOUR.micros()),
          Map.entry("year", Grain.HOUR.micros()));

  private final DuckDBConnection connection;
  private final SqlFunctions functions;
  private final FlowView view;
  private final ObjectNode node;
  private final TimeWindow window;
  private final Set<String> aliases = new LinkedHashSet<>();
  private final Set<String> stored = new LinkedHashSet<>();
  private final Map<String, ViewColumn> columns = new LinkedHashMap<>();
  private final Set<String> neverNull = new LinkedHashSet<>();
  private boolean isFit = true;
  private boolean isGrouped;
  private boolean hasAggregate;
  private long bucketMicros;

  RollupSelect(
      DuckDBConnection connection, SqlFunctions functions, FlowView view, ObjectNode node) {
    this.connection = connection;
    this.functions = functions;
    this.view = view;
    this.node = node;
    window = new TimeWindow(functions, timeColumn());
  }

  private String timeColumn() {
    return view.columns().stream()
        .filter(column -> column.isPlain() && column.stored().get(0).equals("time"))
        .map(ViewColumn::name)
        .findFirst()
        .orElse("time");
  }

  /** The time asked for; known after {@link #turn}. */
  TimeWindow window() {
    return window;
  }

  /** Stored columns that are grouped by or stand in conditions. */
  Set<String> stored() {
    return stored;
  }

  /** Length of which a bucket has to lie in one multiple, microseconds; 0 for any. */
  long bucketMicros() {
    return bucketMicros;
  }

  /** Stored columns of which no row may have NULL for the answer to be exact. */
  Set<String> neverNull() {
    return neverNull;
  }

  /** Columns that the new FROM clause has to have, over sums as {@link RollupPieces} gives them. */
  List<ViewColumn> columns() {
    return List.copyOf(columns.values());
  }

  /** Rewrites the node in place; false if it asks for something else. */
  boolean turn() throws SQLException {
    isGrouped = !node.path("group_expressions").isEmpty();
    for (JsonNode item : node.path("select_list")) {
      String alias = item.path("alias").asText();
      ViewColumn hidden = view.column(alias);
      isFit &= hidden == null || hidden.equals(column(item));
      aliases.add(alias.toLowerCase(java.util.Locale.ROOT));
    }
    turnWhere(node.path("where_clause"), true);
    aliases.remove("");
    Set<String> known = Set.copyOf(aliases);
    aliases.clear();
    turnAll((ArrayNode) node.path("select_list"));
    aliases.addAll(known);
    turnAll((ArrayNode) node.path("group_expressions"));
    turnField(node, "having");
    for (JsonNode modifier : node.path("modifiers")) {
      for (JsonNode order : modifier.path("orders")) {
        turnField((ObjectNode) order, "expression");
      }
    }
    if (isFit && (isGrouped || hasAggregate) && window.evaluate(connection)) {
      if (isGrouped) {
        leaveOutEmptyGroups();
      }
      return true;
    }
    return false;
  }

  private void leaveOutEmptyGroups() throws SQLException {
    columns.put(ROWS, ViewColumn.plain(ROWS, "rows"));
    JsonNode having = node.path("having");
    ObjectNode some = parsed("sum(" + ROWS + ") > 0");
    if (having.isNull()) {
      node.set("having", some);
    } else {
      ObjectNode both = parsed("a AND b");
      ((ArrayNode) both.path("children")).set(0, having);
      ((ArrayNode) both.path("children")).set(1, some);
      node.set("having", both);
    }
  }

  private ObjectNode parsed(String expression) throws SQLException {
    return (ObjectNode) Ast.parse(connection, "SELECT " + expression).path("select_list").path(0);
  }

  private void turnWhere(JsonNode condition, boolean isNeeded) throws SQLException {
    if (condition.path("type").asText().equals("CONJUNCTION_AND")) {
      for (JsonNode child : condition.path("children")) {
        turnWhere(child, isNeeded);
      }
    } else if (!window.take(condition)) {
      turned(condition);
    } else {
      columns.putIfAbsent("time", ViewColumn.plain(timeColumn(), "time"));
    }
  }

  private void turnAll(ArrayNode list) throws SQLException {
    for (int i = 0; i < list.size(); i++) {
      list.set(i, turned(list.get(i)));
    }
  }

  private void turnField(ObjectNode parent, String field) throws SQLException {
    parent.set(field, turned(parent.path(field)));
  }

  /** What stands for an expression in the new SELECT. */
  private JsonNode turned(JsonNode expression) throws SQLException {
    if (functions.isAggregate(expression)) {
      ObjectNode sum = aggregate(expression);
      isFit &= sum != null;
      hasAggregate = true;
      return sum == null ? expression : sum.put("alias", expression.path("alias").asText());
    }
    isFit &= !functions.isVolatile(expression) && !expression.path("type").asText().equals("STAR");
    if (!expression.path("column_names").isEmpty()) {
      take(expression);
      return expression;
    }
    if (isBucketOfTime(expression)) {
      columns.putIfAbsent("time", ViewColumn.plain(timeColumn(), "time"));
      return expression;
    }
    if (expression instanceof ObjectNode object) {
      List<String> fields = new ArrayList<>();
      object.fieldNames().forEachRemaining(fields::add);
      for (String field : fields) {
        turnField(object, field);
      }
    } else if (expression instanceof ArrayNode array) {
      turnAll(array);
    }
    return expression;
  }

  private ViewColumn column(JsonNode reference) {
    JsonNode names = reference.path("column_names");
    return names.isEmpty() ? null : view.column(names.path(names.size() - 1).asText());
  }

  private void take(JsonNode reference) {
    ViewColumn column = column(reference);
    if (column == null) {
      JsonNode names = reference.path("column_names");
      isFit &=
          names.size() == 1
              && aliases.contains(names.path(0).asText().toLowerCase(java.util.Locale.ROOT));
    } else {
      stored.addAll(column.stored());
      columns.put(column.name(), column);
    }
  }

  /** Whether it is a time cut to whole buckets: of these it takes any that lie in one. */
  private boolean isBucketOfTime(JsonNode expression) throws SQLException {
    JsonNode arguments = expression.path("arguments");
    JsonNode length = arguments.path(0).path("expression");
    ViewColumn of = column(arguments.path(1).path("expression"));
    if (arguments.size() != 2 || of == null || !of.isPlain() || !of.stored().contains("time")) {
      return false;
    }
    long micros =
        switch (SqlFunctions.name(expression)) {
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

  private ObjectNode aggregate(JsonNode call) throws SQLException {
    boolean isPlain =
        call.path("filter").isNull()
            && !call.path("distinct").asBoolean()
            && !call.path("export_state").asBoolean()
            && call.path("order_bys").path("orders").isEmpty()
            && call.path("qualified_name").path("path").size() == 1;
    if (!isPlain) {
      return null;
    }
    JsonNode arguments = call.path("arguments");
    JsonNode only = arguments.path(0).path("expression");
    return switch (SqlFunctions.name(call)) {
      case "count_star" -> count();
      case "count" -> arguments.isEmpty() || isNumber(only) ? count() : null;
      case "sum" -> arguments.size() == 1 ? sum(call, only) : null;
      case "avg", "mean" -> arguments.size() == 1 ? average(only) : null;
      default -> null;
    };
  }

  private static boolean isNumber(JsonNode constant) {
    return constant.path("literal").path("kind").asText().equals("INTEGER");
  }

  private ObjectNode count() throws SQLException {
    columns.put(ROWS, ViewColumn.plain(ROWS, "rows"));
    return parsed("CAST(coalesce(sum(" + ROWS + "), 0) AS BIGINT)");
  }

  private ObjectNode sum(JsonNode call, JsonNode summed) throws SQLException {
    ObjectNode copy = call.deepCopy();
    JsonNode linear = linear(summed);
    if (linear == null) {
      return null;
    }
    ((ObjectNode) copy.path("arguments").path(0)).set("expression", linear);
    return orNull(copy);
  }

  /** Without groups a sum is NULL where there are no rows. */
  private ObjectNode orNull(ObjectNode sum) throws SQLException {
    if (isGrouped) {
      return sum;
    }
    columns.put(ROWS, ViewColumn.plain(ROWS, "rows"));
    ObjectNode guarded = parsed("CASE WHEN sum(" + ROWS + ") > 0 THEN 1 END");
    ((ObjectNode) guarded.path("case_checks").path(0)).set("then_expr", sum);
    return guarded;
  }

  private ObjectNode average(JsonNode averaged) throws SQLException {
    String counted = counted(averaged);
    if (counted == null) {
      return null;
    }
    neverNull.add(counted);
    columns.put(ROWS, ViewColumn.plain(ROWS, "rows"));
    takeCounted(averaged);
    return parsed(
        "CASE WHEN sum(%1$s) > 0 THEN CAST(sum(%2$s) AS DOUBLE) / CAST(sum(%1$s) AS DOUBLE) END"
            .formatted(ROWS, Catalog.quoted(column(averaged).name())));
  }

  /** {@code bytes} or {@code packets} if it is that column. */
  private String counted(JsonNode reference) {
    ViewColumn column = column(reference);
    return column != null && column.isPlain() && COUNTED.contains(column.stored().get(0))
        ? column.stored().get(0)
        : null;
  }

  private void takeCounted(JsonNode reference) {
    ViewColumn column = column(reference);
    columns.put(column.name(), column);
  }

  /**
   * What is summed up, over sums: bytes or packets, perhaps times the sampling rate, perhaps times
   * whole numbers. Null if it is something else.
   */
  private JsonNode linear(JsonNode summed) throws SQLException {
    if (counted(summed) != null) {
      takeCounted(summed);
      return summed;
    }
    JsonNode arguments = summed.path("arguments");
    if (!SqlFunctions.name(summed).equals("*") || arguments.size() != 2) {
      return null;
    }
    JsonNode left = arguments.path(0).path("expression");
    JsonNode right = arguments.path(1).path("expression");
    if (isRate(left) && counted(right) != null) {
      return scaled(left, counted(right));
    }
    if (isRate(right) && counted(left) != null) {
      return scaled(right, counted(left));
    }
    boolean isLeft = isNumber(right);
    JsonNode rest = isLeft ? linear(left) : isNumber(left) ? linear(right) : null;
    if (rest == null) {
      return null;
    }
    ObjectNode copy = summed.deepCopy();
    ((ObjectNode) copy.path("arguments").path(isLeft ? 0 : 1)).set("expression", rest);
    return copy;
  }

  private JsonNode scaled(JsonNode rate, String counted) {
    if (rate.path("column_names").size() > 0) {
      neverNull.add("sampling_rate"); // bytes times NULL is NULL, and we counted them once
    }
    String name = SCALED + counted;
    columns.put(name, ViewColumn.plain(name, "scaled_" + counted));
    return LateNames.reference(name);
  }

  /** {@code sampling_rate} or {@code coalesce(sampling_rate, 1)}. */
  private boolean isRate(JsonNode node) {
    if (node.path("type").asText().equals("OPERATOR_COALESCE")) {
      JsonNode children = node.path("children");
      return children.size() == 2
          && !children.path(0).path("column_names").isEmpty()
          && isRate(children.path(0))
          && children.path(1).path("literal").path("text").asText().equals("1");
    }
    ViewColumn column = column(node);
    return column != null && column.isPlain() && column.stored().get(0).equals("sampling_rate");
  }
}
