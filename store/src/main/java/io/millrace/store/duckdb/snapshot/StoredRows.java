package io.millrace.store.duckdb.snapshot;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * State of a table of flows that one transaction sees.
 *
 * @param version of the rollups ({@code RollupCatalog.VERSIONS}); 0 before the first change
 * @param parts bounds of the rows, for each part
 * @param goneBefore time before which rows may have been removed, by arrival in microseconds;
 *     {@link Long#MIN_VALUE} if none was
 * @param roll if not null, only rows that it or earlier rolls have rolled up count
 */
public record StoredRows(long version, Map<FlowPart, RowExtent> parts, long goneBefore, Roll roll) {
  private static final long DAY_MICROS = TimeUnit.DAYS.toMicros(1);

  /**
   * The newest roll: an update of the rollups with committed rows.
   *
   * @param frontier covers all rows that are rolled up
   * @param newest arrival of the newest of these rows, microseconds
   */
  public record Roll(Frontier frontier, long newest) {}

  /** All rows. */
  public StoredRows(long version, Map<FlowPart, RowExtent> parts, long goneBefore) {
    this(version, parts, goneBefore, null);
  }

  /**
   * Arrival of the newest row up to a time, microseconds; {@link Long#MIN_VALUE} if there is none.
   * For a table that may have rows with future times.
   */
  public static long newestUntil(ReadTransaction transaction, String table, long until)
      throws SQLException {
    long newest = newestBetween(transaction, table, until - DAY_MICROS, until);
    return newest == Long.MIN_VALUE
        ? newestBetween(transaction, table, Long.MIN_VALUE / 2, until)
        : newest;
  }

  private static long newestBetween(ReadTransaction transaction, String table, long from, long to)
      throws SQLException {
    var unused = transaction.rows().read(table, extent -> extent.mayHave(from, to + 1));
    List<String> each = new ArrayList<>();
    for (FlowPart part : FlowPart.values()) {
      each.add(
          "(SELECT epoch_us(max(time)) FROM %s WHERE time BETWEEN %s AND %s)"
              .formatted(
                  Catalog.raw(part.tableName(table)),
                  SqlTime.timestamp(from),
                  SqlTime.timestamp(to)));
    }
    return SqlRows.number(
        transaction.connection(),
        "SELECT coalesce(greatest(%s), %s)"
            .formatted(String.join(", ", each), SqlTime.micros(Long.MIN_VALUE)));
  }

  /** This state, limited to rows that are rolled up. */
  public StoredRows asOf(Roll newest) {
    return new StoredRows(version, parts, goneBefore, newest);
  }

  /**
   * SQL conditions for the rows of a part that count and that a frontier does not cover; see {@link
   * RowExtent#unrolled}.
   */
  public List<String> unrolled(FlowPart part, Frontier rolled) {
    if (roll == null) {
      return parts.get(part).unrolled(rolled);
    }
    LogRange unrolled = new LogRange(rolled, roll.frontier);
    return unrolled.isEmpty() ? List.of() : List.of(unrolled.sql());
  }

  /** Selects files that may have rows that count and that a frontier does not cover. */
  public Predicate<RowExtent> unrolled(Frontier rolled) {
    if (roll == null) {
      return extent -> extent.mayFollow(rolled);
    }
    LogRange unrolled = new LogRange(rolled, roll.frontier);
    return extent -> extent.mayHave(unrolled);
  }

  /** Arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} if there is none. */
  public long oldest() {
    return parts.values().stream().mapToLong(RowExtent::oldest).min().orElse(Long.MAX_VALUE);
  }

  /** Arrival of the newest row, microseconds; {@link Long#MIN_VALUE} if there is none. */
  public long newest() {
    return roll != null
        ? roll.newest
        : parts.values().stream().mapToLong(RowExtent::newest).max().orElse(Long.MIN_VALUE);
  }
}
