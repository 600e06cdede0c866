package io.millrace.store.duckdb.sample;

import static io.millrace.store.duckdb.sample.SampleTables.bytes;
import static io.millrace.store.duckdb.sample.SampleTables.packets;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.duckdb.sums.SealedSums;
import io.millrace.store.query.Dialect;
import io.millrace.store.rollup.Grain;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;

/**
 * Updates the sample of a table of flows, in the transaction of the given statement.
 *
 * <p>Priority sampling (Duffield, Lund, Thorup 2007): of each bucket, the rows with the highest
 * priorities are kept, and the threshold is the priority of the next row. The rows of a minute in
 * one log range are sampled separately, so they may arrive late and in any number of ranges. The
 * samples of hours and days are chosen from these by the same priorities, with thresholds that are
 * not lower. The result is the same as if all rows of the hour were sampled with the higher
 * threshold.
 */
public final class SampleWriter {
  private static final int ONE_IN = 64;

  private static final int MINUTE_ROWS = 128;

  private static final int MIN_ROWS = 8;

  /**
   * Rows in the sample of {@code n} rows of a minute; less than {@code SampleCandidates.MAX_ROWS}.
   */
  private static final String SIZE =
      "least(greatest(n // %d, %d), %d)".formatted(ONE_IN, MIN_ROWS, MINUTE_ROWS);

  private static final int HOUR_ROWS = 4_096;
  private static final int DAY_ROWS = 8_192;

  private static final int MARGIN = 16;

  private static final String COUNTS = "temp.sample_counts";
  private static final String CANDIDATES = "temp.sample_candidates";
  private static final String LIMITS = "temp.sample_limits";
  private static final String FOLDED = "temp.sample_folded";
  private static final String CHOSEN = "temp.sample_chosen";

  /** Columns that identify a row. */
  private static final String POSITION = "log_partition, log_offset, log_index";

  private final String table;
  private final FlowLayout layout;
  private final SampleHistory history;

  /**
   * @param layout layout of the whole table of flows, which is that of its records
   */
  public SampleWriter(String table, FlowLayout layout, SampleHistory history) {
    this.table = table;
    this.history = history;
    this.layout = layout;
  }

  // ---- rows of the log

  /**
   * Samples the rows of a log range, none of which has been sampled.
   *
   * @param read bounds of the rows that the statement's connection sees
   * @return the new state
   */
  public SampleState take(
      Statement statement, SampleState before, LogRange range, Map<FlowPart, RowExtent> read)
      throws SQLException {
    SampleState after = before.withRolled(before.rolled().union(range.to()));
    for (FlowPart part : FlowPart.values()) {
      RowExtent there = read.get(part);
      if (there.rows() > 0) {
        String rows = Catalog.raw(part.tableName(table)) + " WHERE " + there.within(range);
        count(statement, rows);
        after = after.withNewest(take(statement, part, rows));
      }
    }
    after.store(statement, table);
    return after;
  }

  /**
   * Samples the rows of sealed sums, none of which has been sampled.
   *
   * @return the new state
   */
  public SampleState take(Statement statement, SampleState before, SealedSums.Shown sealed)
      throws SQLException {
    SampleState after = before.withRolled(before.rolled().union(sealed.run().range().to()));
    String typed =
        layout.columns().stream()
            .map(
                column ->
                    "%s::%s AS %1$s".formatted(Catalog.quoted(column.name()), column.sqlType()))
            .collect(Collectors.joining(", "));
    for (FlowPart part : FlowPart.values()) {
      Map<Long, long[]> minutes = sealed.minutes(part);
      if (!minutes.isEmpty()) {
        count(statement, minutes);
        String rows = "(SELECT %s FROM %s) WHERE true".formatted(typed, sealed.candidates(part));
        after = after.withNewest(take(statement, FlowPart.RECORDS, rows));
      }
    }
    after.store(statement, table);
    return after;
  }

  private void count(Statement statement, Map<Long, long[]> minutes) throws SQLException {
    String values =
        minutes.entrySet().stream()
            .map(
                its -> "(%d, %d, %d)".formatted(its.getKey(), its.getValue()[0], its.getValue()[1]))
            .collect(Collectors.joining(", "));
    temporary(
        statement,
        COUNTS,
        "SELECT minute::BIGINT AS minute, n::BIGINT AS n, newest::BIGINT AS newest, %s AS k, 0::DOUBLE AS least_bytes, 0::DOUBLE AS least_packets FROM (VALUES %s) v(minute, n, newest)"
            .formatted(SIZE, values));
    countHours(statement);
  }

  private long take(Statement statement, FlowPart part, String rows) throws SQLException {
    do {
      findCandidates(statement, rows);
    } while (lookLower(statement));
    temporary(
        statement,
        CHOSEN,
        "SELECT %s, sample_u, limit_bytes, limit_packets FROM %s JOIN %s USING (minute) WHERE b > limit_bytes OR p > limit_packets"
            .formatted(POSITION, CANDIDATES, LIMITS));
    statement.execute(
        "INSERT INTO %s(%s, %s, %s, %s) SELECT %s, sample_u, limit_bytes, limit_packets FROM (SELECT * FROM %s) JOIN %s USING (%s) ORDER BY time"
            .formatted(
                SampleTables.OPEN.stored(table),
                columns(),
                SampleTables.DRAW,
                bytes(Grain.MINUTE),
                packets(Grain.MINUTE),
                layout.columns().stream()
                    .map(column -> part.select(column.name()).in(Dialect.DUCKDB))
                    .collect(Collectors.joining(", ")),
                rows,
                CHOSEN,
                POSITION));
    long newest = Long.MIN_VALUE;
    try (ResultSet row = statement.executeQuery("SELECT max(newest), count(*) FROM " + COUNTS)) {
      if (row.next() && row.getLong(2) > 0) {
        newest = row.getLong(1);
      }
    }
    drop(statement, COUNTS, CANDIDATES, LIMITS, CHOSEN);
    return newest;
  }

  private void count(Statement statement, String rows) throws SQLException {
    temporary(
        statement,
        COUNTS,
        "SELECT epoch_us(time) // %d AS minute, count(*) AS n, epoch_us(max(time)) AS newest, %s AS k, CASE WHEN n > k THEN sum(%s) / (k + 1) / %d ELSE 0 END AS least_bytes, CASE WHEN n > k THEN sum(%s) / (k + 1) / %d ELSE 0 END AS least_packets FROM %s GROUP BY 1"
            .formatted(
                Grain.MINUTE.micros(),
                SIZE,
                SampleSql.BYTES,
                MARGIN,
                SampleSql.PACKETS,
                MARGIN,
                rows));
    countHours(statement);
  }

  private void countHours(Statement statement) throws SQLException {
    statement.execute(
        "INSERT INTO %s SELECT '%s', minute // 60, sum(n)::BIGINT FROM %s GROUP BY ALL"
            .formatted(SampleTables.COUNTS, table, COUNTS));
  }

  private void findCandidates(Statement statement, String rows) throws SQLException {
    temporary(
        statement,
        CANDIDATES,
        "SELECT %s, sample_u, minute, w / sample_u AS b, v / sample_u AS p FROM (SELECT %s, epoch_us(time) // %d AS minute, %s AS w, %s AS v, %s AS sample_u FROM %s) JOIN %s USING (minute) WHERE b > least_bytes OR p > least_packets"
            .formatted(
                POSITION,
                POSITION,
                Grain.MINUTE.micros(),
                SampleSql.BYTES,
                SampleSql.PACKETS,
                SampleSql.DRAWN,
                rows,
                COUNTS));
    temporary(
        statement,
        LIMITS,
        "SELECT minute, coalesce(b[k + 1], 0) AS limit_bytes, coalesce(p[k + 1], 0) AS limit_packets FROM (SELECT minute, any_value(k) AS k, max(b, k + 1) FILTER (b > least_bytes) AS b, max(p, k + 1) FILTER (p > least_packets) AS p FROM %s JOIN %s USING (minute) GROUP BY minute)"
            .formatted(CANDIDATES, COUNTS));
  }

  private static boolean lookLower(Statement statement) throws SQLException {
    return statement.executeUpdate(
            "UPDATE %1$s SET least_bytes = 0, least_packets = 0 WHERE (least_bytes > 0 OR least_packets > 0) AND minute NOT IN (SELECT minute FROM %2$s WHERE limit_bytes > 0 AND limit_packets > 0)"
                .formatted(COUNTS, LIMITS))
        > 0;
  }

  private String columns() {
    return layout.columns().stream()
        .map(column -> Catalog.quoted(column.name()))
        .collect(Collectors.joining(", "));
  }

  // ---- hours and days

  /**
   * Chooses the samples of hours and days from the rows of closed days.
   *
   * @param to start of the first open day, microseconds
   */
  public SampleState fold(Statement statement, SampleState before, long to) throws SQLException {
    String over = "time < " + SqlTime.timestamp(to);
    String open = SampleTables.OPEN.stored(table);
    long rows =
        temporary(
            statement,
            FOLDED,
            "SELECT *, epoch_us(time) // %1$d AS hour, hour // 24 AS day, (%2$s) / %3$s AS b, %4$s / %3$s AS p FROM %5$s WHERE %6$s"
                .formatted(
                    Grain.HOUR.micros(),
                    SampleSql.BYTES,
                    SampleTables.DRAW,
                    SampleSql.PACKETS,
                    open,
                    over));
    if (rows > 0) {
      choose(statement, Grain.MINUTE, Grain.HOUR, HOUR_ROWS);
      choose(statement, Grain.HOUR, Grain.DAY, DAY_ROWS);
      thinMinutes(statement);
      String isInDay = isIn(Grain.DAY);
      String isInHour = isIn(Grain.HOUR);
      move(statement, SampleTables.DAY, isInDay);
      move(statement, SampleTables.HOUR, isInHour + " AND NOT " + isInDay);
      move(statement, SampleTables.MINUTE, isIn(Grain.MINUTE) + " AND NOT " + isInHour);
      statement.execute("DELETE FROM " + open + " WHERE " + over);
    }
    drop(statement, FOLDED);
    statement.execute(
        "DELETE FROM %s WHERE table_name = '%s' AND hour < %d"
            .formatted(SampleTables.COUNTS, table, to / Grain.HOUR.micros()));
    SampleState after = before.withFolded(to);
    after.store(statement, table);
    return after;
  }

  private void choose(Statement statement, Grain finer, Grain grain, int most) throws SQLException {
    String bucket = grain.label();
    temporary(
        statement,
        LIMITS,
        "SELECT %1$s, CASE WHEN len(b) > k THEN b[-1] ELSE 0 END AS bytes_limit, CASE WHEN len(p) > k THEN p[-1] ELSE 0 END AS packets_limit FROM (SELECT %1$s, any_value(k) AS k, max(b, k + 1) FILTER (b > %2$s) AS b, max(p, k + 1) FILTER (p > %3$s) AS p FROM %4$s JOIN (%5$s) USING (%1$s) GROUP BY %1$s)"
            .formatted(bucket, bytes(finer), packets(finer), FOLDED, sizes(grain, most)));
    temporary(
        statement,
        CHOSEN,
        "SELECT f.* REPLACE (greatest(%s, coalesce(bytes_limit, 0)) AS %s, greatest(%s, coalesce(packets_limit, 0)) AS %s) FROM %s f LEFT JOIN %s l USING (%s)"
            .formatted(
                bytes(finer),
                bytes(grain),
                packets(finer),
                packets(grain),
                FOLDED,
                LIMITS,
                bucket));
    replaceFolded(statement);
  }

  private String sizes(Grain grain, int most) {
    return "SELECT hour // %d AS %s, sum(rows)::BIGINT AS n, least(greatest(n // %d, %d), %d) AS k FROM %s WHERE table_name = '%s' GROUP BY ALL"
        .formatted(
            grain.micros() / Grain.HOUR.micros(),
            grain.label(),
            ONE_IN,
            MIN_ROWS,
            most,
            SampleTables.COUNTS,
            table);
  }

  private void thinMinutes(Statement statement) throws SQLException {
    temporary(
        statement,
        CHOSEN,
        "SELECT f.* REPLACE (CASE WHEN isThin THEN %1$s ELSE %2$s END AS %2$s, CASE WHEN isThin THEN %3$s ELSE %4$s END AS %4$s) FROM %5$s f JOIN (SELECT hour, count(*) * %6$d > any_value(n) AS isThin FROM %5$s JOIN (%7$s) USING (hour) GROUP BY hour) USING (hour)"
            .formatted(
                bytes(Grain.HOUR),
                bytes(Grain.MINUTE),
                packets(Grain.HOUR),
                packets(Grain.MINUTE),
                FOLDED,
                ONE_IN / 2,
                sizes(Grain.HOUR, HOUR_ROWS)));
    replaceFolded(statement);
  }

  private static void replaceFolded(Statement statement) throws SQLException {
    drop(statement, FOLDED, LIMITS);
    temporary(statement, FOLDED, "FROM " + CHOSEN);
    drop(statement, CHOSEN);
  }

  private static String isIn(Grain grain) {
    return "(b > %s OR p > %s)".formatted(bytes(grain), packets(grain));
  }

  private void move(Statement statement, SampleTables to, String which) throws SQLException {
    statement.execute(
        "INSERT INTO %s SELECT * EXCLUDE (hour, day, b, p) FROM %s WHERE %s ORDER BY time"
            .formatted(to.recent(table), FOLDED, which));
  }

  // ---- age

  /**
   * Deletes the rows before a time whose longest sampled bucket has the given grain.
   *
   * @param to start of the first bucket to keep, microseconds
   */
  public SampleState remove(
      DuckDBConnection connection, Statement statement, SampleState before, Grain grain, long to)
      throws SQLException {
    for (SampleTables each : SampleTables.FOLDED) {
      if (grain.equals(each.grain())) {
        history.delete(connection, statement, each, to);
      }
    }
    SampleState after = before.withFrom(grain, to);
    after.store(statement, table);
    return after;
  }

  private static long temporary(Statement statement, String name, String select)
      throws SQLException {
    return statement.executeLargeUpdate("CREATE OR REPLACE TEMP TABLE " + name + " AS " + select);
  }

  private static void drop(Statement statement, String... names) throws SQLException {
    for (String name : names) {
      statement.execute("DROP TABLE IF EXISTS " + name);
    }
  }
}
