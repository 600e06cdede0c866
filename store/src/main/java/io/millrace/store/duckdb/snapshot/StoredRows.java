package io.millrace.store.duckdb.snapshot;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.offsets.RemovedRows;
import io.millrace.store.duckdb.offsets.RowArrivals;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.rollup.Grain;
import io.millrace.wire.block.Frontier;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.duckdb.DuckDBConnection;

/**
 * What one transaction sees of a table of flows and its rollups, in one statement.
 *
 * @param version of the rollups: {@code RollupCatalog.VERSIONS}; 0 before the first change
 * @param parts all of them
 * @param goneBefore rows that arrived before this, microseconds, may have been removed, later ones
 *     are all there; {@link Long#MIN_VALUE} if none was
 * @param roll if not null, rows that it has not rolled up are not asked for
 * @param arrivals of the rows; without later ones than the transaction sees
 */
public record StoredRows(
    long version, Map<FlowPart, Part> parts, long goneBefore, Roll roll, RowArrivals arrivals) {
  private static final long DAY_MICROS = TimeUnit.DAYS.toMicros(1);
  private static final RowArrivals UNKNOWN = new RowArrivals();
  private static final String OLDEST = "epoch_us(min(time))";

  private static final String OLDEST_OF_FEW = "min(epoch_us(time))";

  private static final long STEP = TimeUnit.SECONDS.toMicros(1);

  private static final long LONGEST = 3_650 * Grain.DAY.micros();

  private static final long FURTHER = Long.MIN_VALUE;

  /**
   * How far the newest roll came.
   *
   * @param frontier what it and all before it have rolled up
   * @param newest arrival of the newest of these rows, microseconds
   */
  public record Roll(Frontier frontier, long newest) {}

  /** All rows, of whose arrival nothing is known. */
  public StoredRows(long version, Map<FlowPart, Part> parts, long goneBefore) {
    this(version, parts, goneBefore, null, UNKNOWN);
  }

  /**
   * The rows of one part.
   *
   * @param rows their number; the other values mean nothing where it is 0
   * @param oldest arrival, microseconds
   * @param newest arrival, microseconds, or later
   * @param firstPartition of the log, or less
   * @param lastPartition of the log, or more
   * @param lastOffset of rows that may not be rolled up, the greatest in any partition of the log;
   *     or greater
   */
  public record Part(
      long rows,
      long oldest,
      long newest,
      long firstPartition,
      long lastPartition,
      long lastOffset) {

    private Part withOldest(long micros) {
      return new Part(rows, micros, newest, firstPartition, lastPartition, lastOffset);
    }

    /** Whether a row may have arrived between two times, the end exclusive. */
    public boolean mayHave(long from, long to) {
      return rows > 0 && newest >= from && oldest < to;
    }

    /**
     * Conditions, each true of other rows, together of all that a frontier does not cover; without
     * those that no row here can fulfil. Each can be decided for a whole row group by its least and
     * greatest values.
     *
     * @param since SQL followed by AND, true of all rows of partitions that the frontier has
     */
    public List<String> unrolled(Frontier rolled, String since) {
      if (rows == 0) {
        return List.of();
      }
      TreeMap<Integer, Long> next = new TreeMap<>(rolled.next());
      if (next.isEmpty()) {
        return List.of("true");
      }
      long least = next.values().stream().mapToLong(Long::longValue).min().orElseThrow();
      StringBuilder later =
          new StringBuilder(since + "log_offset >= " + least + " AND CASE log_partition");
      List<String> conditions = new ArrayList<>();
      if (firstPartition < next.firstKey()) {
        conditions.add("log_partition < " + next.firstKey());
      }
      int expected = next.firstKey();
      for (Map.Entry<Integer, Long> partition : next.entrySet()) {
        int number = partition.getKey();
        later.append(" WHEN ").append(number);
        later.append(" THEN log_offset >= ").append(partition.getValue());
        if (number > expected && firstPartition < number && lastPartition >= expected) {
          conditions.add("log_partition >= " + expected + " AND log_partition < " + number);
        }
        expected = number + 1;
      }
      if (lastOffset >= least) {
        conditions.add(later + " ELSE false END");
      }
      if (lastPartition >= expected) {
        conditions.add("log_partition >= " + expected);
      }
      return conditions;
    }
  }

  /**
   * What is known from elsewhere, so that little has to be looked at. DuckDB knows the least and
   * the greatest value of a column until a row is deleted; from then on it reads the column. A
   * condition keeps it to the row groups that may fulfil it.
   *
   * @param newest arrival of a row that is there or was removed as too old; {@link Long#MIN_VALUE}
   *     if none is known
   * @param rolled what all rollups cover: nobody asks for offsets before it, nor whether its
   *     partitions are there
   * @param oldest arrival of a row of each part that was the oldest once
   */
  public record Hints(long newest, Frontier rolled, Map<FlowPart, Long> oldest) {
    static final Hints NONE = new Hints(Long.MIN_VALUE, Frontier.EMPTY, Map.of());

    private LogRange.Partitions partitions() {
      TreeSet<Integer> partitions = new TreeSet<>(rolled.next().keySet());
      return partitions.isEmpty()
          ? LogRange.Partitions.NONE
          : new LogRange.Partitions(partitions.first(), partitions.last());
    }
  }

  /**
   * Arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} if there is none.
   *
   * @param known arrival of a row that was the oldest once, or {@link Long#MAX_VALUE}
   */
  public static long oldest(DuckDBConnection connection, String table, long known)
      throws SQLException {
    List<String> stored = new ArrayList<>();
    for (FlowPart part : FlowPart.values()) {
      stored.add(Catalog.raw(part.tableName(table)));
    }
    return oldest(connection, stored, known);
  }

  private static long oldest(DuckDBConnection connection, List<String> stored, long known)
      throws SQLException {
    long oldest = Long.MAX_VALUE;
    if (known != Long.MAX_VALUE) {
      for (long step = STEP; oldest == Long.MAX_VALUE && step < LONGEST; step *= 8) {
        oldest = least(connection, stored, " WHERE time < " + SqlTime.timestamp(known + step));
      }
    }
    return oldest == Long.MAX_VALUE ? least(connection, stored, "") : oldest;
  }

  private static long least(DuckDBConnection connection, List<String> stored, String where)
      throws SQLException {
    List<String> each = new ArrayList<>();
    for (String from : stored) {
      each.add(value(where.isEmpty() ? OLDEST : OLDEST_OF_FEW, from + where));
    }
    // The least of none is NULL, and least() skips it.
    return SqlRows.number(
        connection,
        "SELECT coalesce(least(%s), %d)".formatted(String.join(", ", each), Long.MAX_VALUE));
  }

  /** Arrival of the newest row, microseconds; {@link Long#MIN_VALUE} if there is none. */
  public static long newest(DuckDBConnection connection, String table) throws SQLException {
    List<String> each = new ArrayList<>();
    for (FlowPart part : FlowPart.values()) {
      each.add(newest(Catalog.raw(part.tableName(table)), Long.MIN_VALUE));
    }
    return SqlRows.number(
        connection,
        "SELECT coalesce(greatest(%s), %s)"
            .formatted(String.join(", ", each), SqlTime.micros(Long.MIN_VALUE)));
  }

  /**
   * Arrival of the newest row that arrived until a time, microseconds; {@link Long#MIN_VALUE} if
   * there is none. For a table that may have rows dated ahead.
   */
  public static long newestUntil(DuckDBConnection connection, String table, long until)
      throws SQLException {
    long newest = extreme(connection, table, "max", until - DAY_MICROS, until);
    return newest == Long.MIN_VALUE
        ? extreme(connection, table, "max", Long.MIN_VALUE / 2, until)
        : newest;
  }

  /**
   * Arrival of the newest row that is no longer after the one before than a gap allows, where the
   * last rows until a time are apart from all others; that of the newest until then otherwise;
   * {@link Long#MIN_VALUE} if there is none.
   */
  public static long newestWithoutGap(
      DuckDBConnection connection, String table, long until, long gapMicros) throws SQLException {
    long newest = newestUntil(connection, table, until);
    if (newest == Long.MIN_VALUE) {
      return newest;
    }
    long first = extreme(connection, table, "min", newest - gapMicros, newest);
    long before = newestUntil(connection, table, newest - gapMicros - 1);
    return before != Long.MIN_VALUE && first - before > gapMicros ? before : newest;
  }

  private static long extreme(
      DuckDBConnection connection, String table, String aggregate, long from, long to)
      throws SQLException {
    List<String> each = new ArrayList<>();
    for (FlowPart part : FlowPart.values()) {
      each.add(
          value(
              "epoch_us(" + aggregate + "(time))",
              "%s WHERE time BETWEEN %s AND %s"
                  .formatted(
                      Catalog.raw(part.tableName(table)),
                      SqlTime.timestamp(from),
                      SqlTime.timestamp(to))));
    }
    return SqlRows.number(
        connection,
        "SELECT coalesce(%s(%s), %s)"
            .formatted(
                aggregate.equals("max") ? "greatest" : "least",
                String.join(", ", each),
                SqlTime.micros(Long.MIN_VALUE)));
  }

  private static String newest(String from, long known) {
    return known == Long.MIN_VALUE
        ? value("epoch_us(max(time))", from)
        : "coalesce((SELECT max(epoch_us(time)) FROM %s WHERE time >= %s), %d)"
            .formatted(from, SqlTime.timestamp(known), known);
  }

  /**
   * The rows that the connection's transaction sees, found by hints that are true of it.
   *
   * @param version of the rollups, as the transaction sees it
   * @param arrivals of the rows
   */
  public static StoredRows read(
      DuckDBConnection connection, String table, long version, Hints hints, RowArrivals arrivals)
      throws SQLException {
    String since = arrivals.since(hints.rolled, hints.rolled.next().keySet());
    StringBuilder sql = new StringBuilder("SELECT");
    for (FlowPart part : FlowPart.values()) {
      sql.append(part.ordinal() == 0 ? " " : ", ").append(select(table, part, hints, since));
    }
    sql.append(", ").append(RemovedRows.before(table));
    long goneBefore;
    Map<FlowPart, Part> parts = new EnumMap<>(FlowPart.class);
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.toString())) {
      row.next();
      int i = 1;
      for (FlowPart part : FlowPart.values()) {
        long oldest = row.getLong(i + 1);
        boolean isFurther = row.wasNull() && row.getLong(i) > 0;
        parts.put(
            part,
            new Part(
                row.getLong(i),
                isFurther ? FURTHER : oldest,
                row.getLong(i + 2),
                row.getLong(i + 3),
                row.getLong(i + 4),
                row.getLong(i + 5)));
        i += 6;
      }
      goneBefore = row.getLong(i);
      goneBefore = row.wasNull() ? Long.MIN_VALUE : goneBefore;
    }
    for (Map.Entry<FlowPart, Part> part : parts.entrySet()) {
      if (part.getValue().oldest == FURTHER) {
        String stored = Catalog.raw(part.getKey().tableName(table));
        long known = hints.oldest.get(part.getKey());
        part.setValue(part.getValue().withOldest(oldest(connection, List.of(stored), known)));
      }
    }
    return new StoredRows(version, parts, goneBefore, null, arrivals);
  }

  private static String select(String table, FlowPart part, Hints hints, String since) {
    String from = Catalog.raw(part.tableName(table));
    long oldest = hints.oldest.getOrDefault(part, Long.MAX_VALUE);
    return String.join(
        ", ",
        "(SELECT count(*) FROM " + from + ")",
        oldest == Long.MAX_VALUE
            ? value(OLDEST, from)
            : value(OLDEST_OF_FEW, from + " WHERE time < " + SqlTime.timestamp(oldest + STEP)),
        newest(from, hints.newest),
        partition("min", from, hints.partitions()),
        partition("max", from, hints.partitions()),
        lastOffset(from, hints.rolled, since));
  }

  private static String lastOffset(String from, Frontier rolled, String since) {
    if (rolled.next().isEmpty()) {
      return value("max(log_offset)", from);
    }
    long least = Collections.min(rolled.next().values());
    return "coalesce((SELECT -min(-log_offset) FROM %s WHERE %slog_offset >= %d), %d)"
        .formatted(from, since, least, least - 1);
  }

  private static String partition(String which, String from, LogRange.Partitions known) {
    if (known.isEmpty()) {
      return value(which + "(log_partition)", from);
    }
    long bound = which.equals("min") ? known.first() : known.last();
    return "coalesce((SELECT %s(log_partition) FROM %s WHERE log_partition %s %d), %d)"
        .formatted(which, from, which.equals("min") ? "<" : ">", bound, bound);
  }

  /**
   * Partitions from which there are rows of a part; more may lie between those that are known.
   *
   * @param known these are among those that are given
   */
  public static LogRange.Partitions partitions(
      DuckDBConnection connection, String table, FlowPart part, LogRange.Partitions known)
      throws SQLException {
    String from = Catalog.raw(part.tableName(table));
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT coalesce(%s, 0), coalesce(%s, -1)"
                    .formatted(partition("min", from, known), partition("max", from, known)))) {
      row.next();
      return new LogRange.Partitions(row.getLong(1), row.getLong(2));
    }
  }

  private static String value(String aggregate, String from) {
    return "(SELECT %s FROM %s)".formatted(aggregate, from);
  }

  /** The same rows under another version of the rollups. */
  public StoredRows under(long other) {
    return other == version ? this : new StoredRows(other, parts, goneBefore, roll, arrivals);
  }

  /** Those of them that are rolled up. */
  public StoredRows asOf(Roll newest) {
    return new StoredRows(version, parts, goneBefore, newest, arrivals);
  }

  /**
   * Conditions, each true of other rows of a part, together of all that count and that a frontier
   * does not cover; see {@link Part#unrolled}. While the transaction goes on that has read this.
   */
  public List<String> unrolled(FlowPart part, Frontier rolled) {
    if (roll == null) {
      return parts.get(part).unrolled(rolled, arrivals.since(rolled, rolled.next().keySet()));
    }
    LogRange unrolled = arrivals.known(new LogRange(rolled, roll.frontier));
    return unrolled.isEmpty() ? List.of() : List.of(unrolled.sql());
  }

  /** Arrival of the oldest row of each part that has rows. */
  public Map<FlowPart, Long> oldestOfParts() {
    Map<FlowPart, Long> oldest = new EnumMap<>(FlowPart.class);
    parts.forEach(
        (part, its) -> {
          if (its.rows > 0) {
            oldest.put(part, its.oldest);
          }
        });
    return oldest;
  }

  /** Arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} if there is none. */
  public long oldest() {
    return parts.values().stream()
        .filter(part -> part.rows > 0)
        .mapToLong(Part::oldest)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Arrival of the newest row, microseconds; {@link Long#MIN_VALUE} if there is none. */
  public long newest() {
    return roll != null
        ? roll.newest
        : parts.values().stream()
            .filter(part -> part.rows > 0)
            .mapToLong(Part::newest)
            .max()
            .orElse(Long.MIN_VALUE);
  }
}
