package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.duckdb.DuckDBConnection;

/**
 * Bounds within which the times of records are trusted, by log range. A changed configuration
 * applies to rows after the newest checkpoint; all earlier rows keep their bounds.
 *
 * @param rules in log order
 */
public record RollupRules(List<Rule> rules) {
  /** One row per table of flows, rule and partition. */
  public static final String TABLE = Catalog.raw("rollup__rules");

  /**
   * Bounds, and the log position from which they apply.
   *
   * @param start end of the earlier rules' log range
   * @param flowMicros maximum duration of a flow
   * @param delayMicros maximum time from the end of a flow to the arrival of its record
   */
  public record Rule(Frontier start, long flowMicros, long delayMicros) {}

  record Piece(LogRange range, Rule rule) {}

  public static String create() {
    return "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, number INTEGER, flow_micros BIGINT, delay_micros BIGINT, log_partition INTEGER, from_offset BIGINT)"
        .formatted(TABLE);
  }

  static RollupRules open(
      DuckDBConnection connection, String table, Frontier from, Duration flow, Duration delay)
      throws SQLException {
    List<Rule> rules = read(connection, table);
    Rule wanted = new Rule(from, flow.toNanos() / 1_000, delay.toNanos() / 1_000);
    Rule last = rules.isEmpty() ? null : rules.get(rules.size() - 1);
    if (last == null) {
      wanted = new Rule(Frontier.EMPTY, wanted.flowMicros, wanted.delayMicros);
    } else if (last.flowMicros == wanted.flowMicros && last.delayMicros == wanted.delayMicros) {
      return new RollupRules(rules);
    }
    store(connection, table, rules.size(), wanted);
    rules.add(wanted);
    return new RollupRules(List.copyOf(rules));
  }

  private static void store(DuckDBConnection connection, String table, int number, Rule rule)
      throws SQLException {
    List<String> values = new ArrayList<>();
    rule.start
        .next()
        .forEach((partition, next) -> values.add(value(table, number, rule, partition, next)));
    if (values.isEmpty()) {
      values.add(value(table, number, rule, null, null));
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO " + TABLE + " VALUES " + String.join(", ", values));
    }
  }

  private static String value(String table, int number, Rule rule, Integer partition, Long next) {
    return "('%s', %d, %d, %d, %s, %s)"
        .formatted(table, number, rule.flowMicros, rule.delayMicros, partition, next);
  }

  /** Rules of a table in log order; empty if its rollups were never enabled. */
  public static List<Rule> read(DuckDBConnection connection, String table) throws SQLException {
    Map<Integer, Map<Integer, Long>> starts = new TreeMap<>();
    Map<Integer, long[]> bounds = new TreeMap<>();
    SqlRows.forEach(
        connection,
        "SELECT number, flow_micros, delay_micros, log_partition, from_offset FROM %s WHERE table_name = '%s'"
            .formatted(TABLE, table),
        rows -> {
          int number = rows.getInt(1);
          bounds.put(number, new long[] {rows.getLong(2), rows.getLong(3)});
          Map<Integer, Long> start = starts.computeIfAbsent(number, n -> new TreeMap<>());
          int partition = rows.getInt(4);
          if (!rows.wasNull()) {
            start.put(partition, rows.getLong(5));
          }
        });
    List<Rule> rules = new ArrayList<>();
    bounds.forEach(
        (number, bound) ->
            rules.add(new Rule(new Frontier(starts.get(number)), bound[0], bound[1])));
    return rules;
  }

  List<Piece> pieces(LogRange range) {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      Rule rule = rules.get(i);
      boolean isLast = i + 1 == rules.size();
      LogRange piece = range.within(rule.start, isLast ? range.to() : rules.get(i + 1).start());
      if (!piece.isEmpty()) {
        pieces.add(new Piece(piece, rule));
      }
    }
    return pieces;
  }
}
