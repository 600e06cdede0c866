package io.millrace.store.duckdb;

import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig;
import java.sql.SQLException;

/**
 * Deletes buckets that are too old, so many at once as were added in about the same time: also
 * where years are to go because somebody shortened them, nobody waits for it for long.
 */
final class RollupRetention {
  /** Buckets that go in one transaction. */
  private static final long SLICE = 72;

  private final RollupTransactions transactions;
  private final RollupFolder folder;
  private final RollupConfig.Retention retention;
  private final String table;

  RollupRetention(
      RollupTransactions transactions,
      RollupFolder folder,
      RollupConfig.Retention retention,
      String table) {
    this.transactions = transactions;
    this.folder = folder;
    this.retention = retention;
    this.table = table;
  }

  /** Deletes the oldest slice of each grain that is too old; whether there is more of it. */
  boolean step(RollupCatalog catalog) throws SQLException {
    boolean hasMore = false;
    for (RollupCatalog.Kept set : catalog.sets()) {
      for (Grain grain : Grain.values()) {
        hasMore |= step(set, grain);
      }
    }
    return hasMore;
  }

  private boolean step(RollupCatalog.Kept set, Grain grain) throws SQLException {
    long to = end(set, grain);
    RollupCatalog.Times times = set.times().get(grain);
    if (to <= times.from() || to <= 0) {
      return false;
    }
    long oldest =
        SqlRows.number(
            transactions.connection(),
            "SELECT coalesce(epoch_us(min(bucket)), %d) FROM %s"
                .formatted(to, RollupCatalog.stored(table, set.set().name(), grain)));
    long slice = Math.min(to, Math.max(oldest, 0) + SLICE * grain.micros());
    transactions.run(statement -> folder.delete(statement, set, grain, slice));
    return slice < to;
  }

  /** Start of the first bucket that stays. */
  private long end(RollupCatalog.Kept set, Grain grain) {
    if (set.newest() == RollupCatalog.ALWAYS) {
      return RollupCatalog.ALWAYS;
    }
    long nowMicros = System.currentTimeMillis() * 1_000;
    long age = retention.of(grain).toNanos() / 1_000;
    // A row whose clock is ahead must not take all others with it.
    long old = Math.min(set.newest(), nowMicros) - age;
    long to = Math.min(old - Math.floorMod(old, unit(grain)), set.times().get(grain).complete());
    // A late hour counts for its day, so it stays until that is over.
    return grain == Grain.HOUR ? Math.min(to, set.times().get(Grain.DAY).complete()) : to;
  }

  /** Whole hours at least, so that the grains end at the same times. */
  private static long unit(Grain grain) {
    return Math.max(grain.micros(), Grain.HOUR.micros());
  }
}
