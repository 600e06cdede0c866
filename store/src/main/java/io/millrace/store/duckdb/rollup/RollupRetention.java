package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.StoredRollup;
import io.millrace.store.rollup.StoredRollup.Times;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Deletes buckets that are expired or exceed the size limit. Each transaction deletes a limited
 * number of sums, so that nothing waits for it for long, even if a shorter retention expires years
 * at once.
 */
final class RollupRetention {
  static final long MAX_SUMS = 500_000;

  private static final long SIZE_NANOS = TimeUnit.MINUTES.toNanos(2);

  private final RollupTransactions transactions;
  private final RollupFolder folder;
  private final RollupHistory history;
  private final RollupConfig.Retention retention;
  private final String table;
  private final long maxSums;
  private final LongSupplier clockMicros;
  private long sizedAt = System.nanoTime() - SIZE_NANOS;

  RollupRetention(
      RollupTransactions transactions,
      RollupFolder folder,
      RollupHistory history,
      RollupConfig.Retention retention,
      String table,
      long maxSums,
      LongSupplier clockMicros) {
    this.clockMicros = clockMicros;
    this.transactions = transactions;
    this.folder = folder;
    this.history = history;
    this.retention = retention;
    this.table = table;
    this.maxSums = maxSums;
  }

  boolean step(RollupCatalog catalog) throws SQLException {
    boolean hasMore = false;
    for (StoredRollup set : catalog.sets()) {
      for (Grain grain : Grain.values()) {
        hasMore |= step(set, grain);
      }
    }
    if (System.nanoTime() - sizedAt > SIZE_NANOS) {
      sizedAt = System.nanoTime();
      shrink(catalog);
    }
    return hasMore;
  }

  void shrink(RollupCatalog catalog) throws SQLException {
    for (Grain grain : Grain.values()) {
      shrink(catalog, grain);
    }
  }

  private void shrink(RollupCatalog catalog, Grain grain) throws SQLException {
    long limit = retention.sizeOf(grain);
    if (limit == 0) {
      return;
    }
    double bytes = 0;
    for (StoredRollup set : catalog.sets()) {
      bytes += history.of(set.set(), grain).bytes(transactions.connection());
    }
    for (StoredRollup set : catalog.sets()) {
      long oldest = oldest(set, grain, Long.MAX_VALUE);
      long complete = Math.min(complete(set, grain), clockMicros.getAsLong());
      if (bytes > limit && oldest < complete) {
        long span = (long) ((complete - oldest) * (1 - limit / bytes));
        long unit = unit(grain);
        long to = Math.min(oldest + span - Math.floorMod(oldest + span, unit) + unit, complete);
        transactions.run(
            statement -> folder.delete(transactions.connection(), statement, set, grain, to));
      }
    }
  }

  boolean removeOldest(RollupCatalog catalog) throws SQLException {
    long day = Grain.DAY.micros();
    boolean isRemoved = false;
    for (Grain grain : Grain.values()) {
      for (StoredRollup set : catalog.sets()) {
        long oldest = oldest(set, grain, Long.MAX_VALUE);
        long newest = Math.min(set.newest(), clockMicros.getAsLong());
        long to = Math.min(complete(set, grain), newest) - day;
        if (oldest < to) {
          long unit = unit(grain);
          long end =
              Math.min(to - Math.floorMod(to, unit), oldest - Math.floorMod(oldest, unit) + day);
          transactions.run(
              statement -> folder.delete(transactions.connection(), statement, set, grain, end));
          isRemoved = true;
        }
      }
      if (isRemoved) {
        return true;
      }
    }
    return false;
  }

  private String stored(StoredRollup set, Grain grain) {
    return RollupCatalog.stored(table, set.set().name(), grain);
  }

  private long oldest(StoredRollup set, Grain grain, long none) throws SQLException {
    return SqlRows.number(
        transactions.connection(),
        "SELECT coalesce(epoch_us(min(bucket)), %d) FROM %s".formatted(none, stored(set, grain)));
  }

  private static long complete(StoredRollup set, Grain grain) {
    long complete = set.times().get(grain).complete();
    return grain == Grain.HOUR
        ? Math.min(complete, set.times().get(Grain.DAY).complete())
        : complete;
  }

  private boolean step(StoredRollup set, Grain grain) throws SQLException {
    long to = end(set, grain);
    Times times = set.times().get(grain);
    if (to <= times.from() || to <= 0) {
      return false;
    }
    long slice = slice(set, grain, to);
    transactions.run(
        statement -> folder.delete(transactions.connection(), statement, set, grain, slice));
    return slice < to;
  }

  private long slice(StoredRollup set, Grain grain, long to) throws SQLException {
    if (sums(set, grain, to) <= maxSums) { // skips row groups; oldest() reads all rows
      return to;
    }
    long oldest = oldest(set, grain, to);
    long end = to;
    while (end - oldest > grain.micros() && sums(set, grain, end) > maxSums) {
      end = oldest + Math.max(1, (end - oldest) / grain.micros() / 2) * grain.micros();
    }
    return end;
  }

  private long sums(StoredRollup set, Grain grain, long to) throws SQLException {
    return SqlRows.number(
        transactions.connection(),
        "SELECT count(*) FROM %s WHERE bucket < %s"
            .formatted(
                RollupCatalog.recent(table, set.set().name(), grain), SqlTime.timestamp(to)));
  }

  private long end(StoredRollup set, Grain grain) {
    if (set.newest() == RollupCatalog.ALWAYS) {
      return RollupCatalog.ALWAYS;
    }
    long age = retention.of(grain).toNanos() / 1_000;
    long old = Math.min(set.newest(), clockMicros.getAsLong()) - age;
    return Math.min(old - Math.floorMod(old, unit(grain)), complete(set, grain));
  }

  private static long unit(Grain grain) {
    return Math.max(grain.micros(), Grain.HOUR.micros());
  }
}
