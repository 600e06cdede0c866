package io.millrace.store.duckdb.rewrite;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.duckdb.sql.Ast;
import io.millrace.store.duckdb.sql.SqlFunctions;
import io.millrace.store.duckdb.sql.SqlTime;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.duckdb.DuckDBConnection;

/**
 * Time range of a WHERE clause, from its conditions that compare the column of time with a
 * constant. DuckDB evaluates the constants in the transaction of the query, so that {@code now()}
 * is the same in both.
 */
final class TimeWindow {
  private static final Set<String> TYPES =
      Set.of("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP WITH TIME ZONE", "DATE");

  /** Types of microseconds since the epoch. */
  private static final Set<String> INTEGERS =
      Set.of("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UINTEGER", "UBIGINT");

  private static final long MAX_MICROS = 1L << 60;

  private final SqlFunctions functions;
  private final String timeColumn;
  private final boolean isMicros;
  private final List<Bound> bounds = new ArrayList<>();
  private long from = Long.MIN_VALUE;
  private long to = Long.MAX_VALUE;

  private record Bound(JsonNode constant, boolean isLower, boolean isInclusive) {
    boolean isComputed() {
      return Ast.has(
          constant, part -> Set.of("FUNCTION", "COLUMN_REF").contains(part.path("type").asText()));
    }
  }

  TimeWindow(SqlFunctions functions, FlowView view) {
    this.functions = functions;
    Optional<ViewColumn> time =
        view.columns().stream()
            .filter(column -> column.isPlain() || column.isMicros())
            .filter(column -> column.stored().get(0).equals("time"))
            .findFirst();
    timeColumn = time.map(ViewColumn::name).orElse("time");
    isMicros = time.map(ViewColumn::isMicros).orElse(false);
  }

  /** Time range of a WHERE clause; unbounded if it cannot be evaluated. */
  static TimeWindow of(
      DuckDBConnection connection, SqlFunctions functions, FlowView view, JsonNode where)
      throws SQLException {
    TimeWindow window = new TimeWindow(functions, view);
    functions.load(connection);
    window.takeEach(where);
    return window.evaluate(connection) ? window : new TimeWindow(functions, view);
  }

  /** Condition on stored rows {@code f}; empty if DuckDB can use the constants itself. */
  String condition() {
    if (!isMicros && bounds.stream().noneMatch(Bound::isComputed)) {
      return "";
    }
    List<String> all = new ArrayList<>();
    if (from > Long.MIN_VALUE) {
      all.add("f.time >= " + SqlTime.timestamp(from));
    }
    if (to < Long.MAX_VALUE) {
      all.add("f.time < " + SqlTime.timestamp(to));
    }
    return String.join(" AND ", all);
  }

  ViewColumn column() {
    return isMicros ? ViewColumn.micros(timeColumn, "time") : ViewColumn.plain(timeColumn, "time");
  }

  /** Start, inclusive, microseconds since the epoch; {@link Long#MIN_VALUE} if unbounded. */
  long from() {
    return from;
  }

  long to() {
    return to;
  }

  private void takeEach(JsonNode condition) {
    if (condition.path("type").asText().equals("CONJUNCTION_AND")) {
      condition.path("children").forEach(this::takeEach);
    } else {
      var unused = take(condition);
    }
  }

  boolean take(JsonNode condition) {
    String type = condition.path("type").asText();
    if (type.equals("COMPARE_BETWEEN")) {
      return isTime(condition.path("input"))
          && take(condition.path("lower"), true, true)
          && take(condition.path("upper"), false, true);
    }
    JsonNode left = condition.path("left");
    JsonNode right = condition.path("right");
    if (!isTime(left) && !isTime(right)) {
      return false;
    }
    boolean isReversed = isTime(right);
    JsonNode constant = isReversed ? left : right;
    return switch (type) {
      case "COMPARE_GREATERTHANOREQUALTO" -> take(constant, !isReversed, true);
      case "COMPARE_GREATERTHAN" -> take(constant, !isReversed, false);
      case "COMPARE_LESSTHANOREQUALTO" -> take(constant, isReversed, true);
      case "COMPARE_LESSTHAN" -> take(constant, isReversed, false);
      case "COMPARE_EQUAL" -> take(constant, true, true) && take(constant, false, true);
      default -> false;
    };
  }

  private boolean isTime(JsonNode node) {
    JsonNode names = node.path("column_names");
    return !names.isEmpty() && names.path(names.size() - 1).asText().equalsIgnoreCase(timeColumn);
  }

  private boolean take(JsonNode constant, boolean isLower, boolean isInclusive) {
    return functions.isConstant(constant) && bounds.add(new Bound(constant, isLower, isInclusive));
  }

  boolean evaluate(DuckDBConnection connection) throws SQLException {
    if (bounds.isEmpty()) {
      return true;
    }
    List<String> list = new ArrayList<>();
    for (Bound bound : bounds) {
      String sql = "(" + Ast.expression(connection, bound.constant) + ")";
      list.add(
          isMicros
              ? "TRY_CAST(" + sql + " AS BIGINT)"
              : "try(epoch_us(CAST(" + sql + " AS TIMESTAMP)))");
      list.add("try(typeof(" + sql + "))");
    }
    List<String> types = new ArrayList<>();
    List<Long> times = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT " + String.join(", ", list))) {
      row.next();
      for (int i = 1; i < list.size(); i += 2) {
        times.add(row.getLong(i));
        if (row.wasNull() || (isMicros && Math.abs(times.get(times.size() - 1)) > MAX_MICROS)) {
          return false;
        }
        types.add(row.getString(i + 1));
      }
    }
    for (int i = 0; i < bounds.size(); i++) {
      if (!isTime(bounds.get(i), types.get(i))) {
        return false;
      }
      narrow(bounds.get(i), times.get(i));
    }
    return true;
  }

  private boolean isTime(Bound bound, String type) {
    return (isMicros ? INTEGERS : TYPES).contains(type)
        || bound.constant.path("literal").path("kind").asText().equals("STRING");
  }

  private void narrow(Bound bound, long micros) {
    if (bound.isLower) {
      from = Math.max(from, bound.isInclusive ? micros : micros + 1);
    } else {
      to = Math.min(to, bound.isInclusive ? micros + 1 : micros);
    }
  }
}
