package io.millrace.store.duckdb.rewrite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.duckdb.sql.Ast;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.duckdb.DuckDBConnection;

/**
 * Converts aggregates over rows to aggregates over sums: counts become sums of the numbers of rows;
 * sums of bytes and packets stay sums.
 */
final class RollupAggregates {
  private static final String ROWS = "__rows";

  private static final String SCALED = "__scaled_";
  private static final Set<String> COUNTED = Set.of("bytes", "packets");

  private final DuckDBConnection connection;
  private final FlowView view;
  private final boolean isGrouped;
  private final Map<String, ViewColumn> columns = new LinkedHashMap<>();
  private final Set<String> neverNull = new LinkedHashSet<>();

  RollupAggregates(DuckDBConnection connection, FlowView view, boolean isGrouped) {
    this.connection = connection;
    this.view = view;
    this.isGrouped = isGrouped;
  }

  Map<String, ViewColumn> columns() {
    return columns;
  }

  Set<String> neverNull() {
    return neverNull;
  }

  ObjectNode hasRows() throws SQLException {
    takeRows();
    return parse("sum(" + ROWS + ") > 0");
  }

  private void takeRows() {
    columns.put(ROWS, ViewColumn.plain(ROWS, "rows"));
  }

  private ObjectNode parse(String expression) throws SQLException {
    return Ast.expression(connection, expression);
  }

  /** Converts a call; null if it is not supported. */
  ObjectNode converted(JsonNode call) throws SQLException {
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
    return switch (Ast.function(call)) {
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
    takeRows();
    return parse("CAST(coalesce(sum(" + ROWS + "), 0) AS BIGINT)");
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

  private ObjectNode orNull(ObjectNode sum) throws SQLException {
    if (isGrouped) {
      return sum;
    }
    takeRows();
    ObjectNode guarded = parse("CASE WHEN sum(" + ROWS + ") > 0 THEN 1 END");
    ((ObjectNode) guarded.path("case_checks").path(0)).set("then_expr", sum);
    return guarded;
  }

  private ObjectNode average(JsonNode averaged) throws SQLException {
    String counted = counted(averaged);
    if (counted == null) {
      return null;
    }
    neverNull.add(counted);
    takeRows();
    takeCounted(averaged);
    return parse(
        "CASE WHEN sum(%1$s) > 0 THEN CAST(sum(%2$s) AS DOUBLE) / CAST(sum(%1$s) AS DOUBLE) END"
            .formatted(ROWS, Catalog.quoted(view.column(averaged).name())));
  }

  private String counted(JsonNode reference) {
    ViewColumn column = view.column(reference);
    return column != null && column.isPlain() && COUNTED.contains(column.stored().get(0))
        ? column.stored().get(0)
        : null;
  }

  private void takeCounted(JsonNode reference) {
    ViewColumn column = view.column(reference);
    columns.put(column.name(), column);
  }

  private JsonNode linear(JsonNode summed) throws SQLException {
    if (counted(summed) != null) {
      takeCounted(summed);
      return summed;
    }
    JsonNode arguments = summed.path("arguments");
    if (!Ast.function(summed).equals("*") || arguments.size() != 2) {
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
      neverNull.add("sampling_rate"); // bytes times NULL is NULL, but rollups use a rate of 1
    }
    String name = SCALED + counted;
    columns.put(name, ViewColumn.plain(name, "scaled_" + counted));
    return LateNames.reference(name);
  }

  private boolean isRate(JsonNode node) {
    if (node.path("type").asText().equals("OPERATOR_COALESCE")) {
      JsonNode children = node.path("children");
      return children.size() == 2
          && !children.path(0).path("column_names").isEmpty()
          && isRate(children.path(0))
          && children.path(1).path("literal").path("text").asText().equals("1");
    }
    ViewColumn column = view.column(node);
    return column != null && column.stored().equals(List.of("sampling_rate"));
  }
}
