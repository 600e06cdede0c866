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
 * By which bounds the times of records were and are believed. What is rolled up is taken off again
 * with the bounds of the day when it was: so a change of configuration holds for the rows after the
 * last checkpoint before it, and the earlier bounds stay for all others.
 *
 * @param rules in the order of the log
 */
public record RollupRules(List<Rule> rules) {
  /** Rows a table, each a rule and a partition. */
  public static final String TABLE = Catalog.raw("rollup__rules");

  /**
   * Bounds and where they begin to hold.
   *
   * @param start covers the rows of earlier rules
   * @param flowMicros the longest duration
   * @param delayMicros the longest time from the end of a flow to its record's arrival
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

  /** The rules of a table, in the order of the log; none before it was opened with rollups. */
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
