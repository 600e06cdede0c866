package io.millrace.store.duckdb;

import io.millrace.pulse.Worker;
import io.millrace.store.ResultRetention;
import io.millrace.store.RetentionConfig;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.disk.StoredSize;
import io.millrace.store.duckdb.flows.StoredFlows;
import io.millrace.store.duckdb.results.DuckDbResultTable;
import io.millrace.store.duckdb.results.ResultRemoval;
import io.millrace.store.duckdb.rollup.TableRollups;
import io.millrace.store.duckdb.schema.Catalog;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that removes rows that are too old or too many, in steps so small that nobody waits
 * for them: a step is one transaction, and takes a few hundredths of a second whatever the traffic.
 *
 * <p>Deleting marks rows. Their row groups go with the next checkpoint of the file, whose free
 * blocks are written again first, those nearest to its beginning before others; what is free at its
 * end is cut off. So this thread also asks for a checkpoint when it has removed something.
 */
final class Retention implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(5);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

  private static final long CHECKPOINT_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long FIRST_SLICE_MICROS = TimeUnit.MINUTES.toMicros(1);

  private static final long MIN_ROWS = 50_000;

  private static final long MIN_SLICE_MICROS = TimeUnit.SECONDS.toMicros(1);
  private static final long LONGEST_SLICE_MICROS = TimeUnit.HOURS.toMicros(6);

  private static final long MIN_KEPT_MICROS = TimeUnit.MINUTES.toMicros(10);

  /** Checkpoints after which what was removed must have become free. */
  private static final int PATIENCE = 4;

  private final DuckDBConnection connection;
  private final RetentionConfig config;
  private final ResultRemoval results;
  private final Checkpoints checkpoints;
  private final LongSupplier clockMicros;
  private final Map<String, RetainedTable> tables = new TreeMap<>();
  private Worker worker;

  // All below is of the thread alone, or of the test that stands for it.
  private long removedSinceCheckpoint;
  private long checkpointAt;
  private double pendingBytes;
  private int checkpointsInVain;
  private boolean isFailing;
  private boolean isTooLarge;

  private static final class RetainedTable {
    private final StoredFlows table;
    private final TableRollups rollups;
    private long oldest = Long.MAX_VALUE;
    private long sliceMicros = FIRST_SLICE_MICROS;

    RetainedTable(StoredFlows table, TableRollups rollups) {
      this.table = table;
      this.rollups = rollups;
    }
  }

  Retention(
      DuckDBConnection connection,
      RetentionConfig config,
      Supplier<Map<String, DuckDbResultTable>> results,
      Checkpoints checkpoints,
      LongSupplier clockMicros) {
    this.connection = connection;
    this.config = config;
    this.results = new ResultRemoval(connection, results, config.results());
    this.checkpoints = checkpoints;
    this.clockMicros = clockMicros;
  }

  synchronized void add(StoredFlows table, TableRollups rollups) {
    tables.put(table.name(), new RetainedTable(table, rollups));
  }

  void declare(String table, ResultRetention limits) {
    results.declare(table, limits);
  }

  synchronized void remove(String name) {
    tables.remove(name);
  }

  synchronized void start() {
    worker = new Worker("store-retention", LONGEST_SILENCE, this::run);
  }

  private void run(Worker own) {
    while (own.pause(isFailing ? RETRY_NANOS : LOOK_NANOS)) {
      try {
        while (step() && own.pause(STEP_NANOS)) {
          // The step has removed something: another one follows after a pause.
        }
        isFailing = false;
      } catch (SQLException | StoreException e) {
        if (!isFailing) {
          LOG.warn("cannot remove old rows, trying again every 30 s: {}", e.getMessage());
        }
        isFailing = true;
      }
    }
  }

  private synchronized List<RetainedTable> all() {
    return List.copyOf(tables.values());
  }

  int retain() throws SQLException {
    results.lookNow();
    int steps = 1;
    while (step()) {
      steps++;
    }
    if (removedSinceCheckpoint > 0) {
      checkpoint();
    }
    return steps;
  }

  synchronized boolean step() throws SQLException {
    boolean isBusy = false;
    for (RetainedTable kept : all()) {
      kept.oldest = kept.table.oldest();
      if (kept.table.newest() > Long.MIN_VALUE) {
        long age = TimeUnit.NANOSECONDS.toMicros(config.rows().toNanos());
        long target = newest(kept) - age;
        isBusy |=
            kept.oldest < target && remove(kept, kept.table.rows(), target, Long.MAX_VALUE) > 0;
      }
    }
    long removedResults = results.step(clockMicros.getAsLong());
    removedSinceCheckpoint += removedResults;
    isBusy |= removedResults > 0;
    if (config.sizeBytes() > 0 && !isBusy) {
      isBusy = shrink();
    }
    long now = System.nanoTime();
    if (removedSinceCheckpoint > 0 && now - checkpointAt > CHECKPOINT_NANOS) {
      checkpoint();
      checkpointAt = System.nanoTime();
    }
    return isBusy;
  }

  /** The newest row, or now if that is dated ahead: it must not make all others old. */
  private long newest(RetainedTable kept) {
    return Math.min(kept.table.newest(), clockMicros.getAsLong());
  }

  private long remove(RetainedTable kept, long rows, long beforeMicros, long mostMicros) {
    long oldest = kept.oldest;
    double rowMicros = (newest(kept) - oldest) / (double) Math.max(1, rows);
    long least = MIN_SLICE_MICROS + (long) (MIN_ROWS * rowMicros);
    long slice =
        Math.min(Math.max(least, kept.sliceMicros), Math.max(MIN_SLICE_MICROS, mostMicros));
    long to = Math.min(beforeMicros, oldest + slice);
    long start = System.nanoTime();
    long removed = kept.table.remove(to);
    // Nothing goes where rows are not rolled up yet, so it looks further on.
    for (long skip = slice; removed == 0 && to < beforeMicros; skip *= 2) {
      to = skip < beforeMicros - to ? to + skip : beforeMicros;
      removed = kept.table.remove(to);
    }
    long took = System.nanoTime() - start;
    if (to - oldest > slice) {
      // The next time the first slice reaches at once beyond what is not rolled up.
      kept.sliceMicros = Math.min(LONGEST_SLICE_MICROS, to - oldest);
    } else if (took > 2 * STEP_NANOS) {
      kept.sliceMicros = Math.max(MIN_SLICE_MICROS, slice / 2);
    } else if (took < STEP_NANOS / 2 && slice >= kept.sliceMicros) {
      kept.sliceMicros = Math.min(LONGEST_SLICE_MICROS, kept.sliceMicros * 2);
    }
    removedSinceCheckpoint += removed;
    return removed;
  }

  private boolean shrink() throws SQLException {
    long used = usedBytes();
    double excess = used - config.sizeBytes() - pendingBytes;
    if (excess <= 0) {
      isTooLarge = false;
      return false;
    }
    RetainedTable oldest = null;
    long rows = 0;
    long rowsOfOldest = 0;
    for (RetainedTable kept : all()) {
      long its = kept.table.rows();
      rows += its;
      if (oldest == null || kept.oldest < oldest.oldest) {
        oldest = kept;
        rowsOfOldest = its;
      }
    }
    long newest = oldest == null ? Long.MIN_VALUE : newest(oldest);
    if (oldest != null && oldest.oldest < newest - MIN_KEPT_MICROS) {
      double rowBytes = (double) used / rows;
      // Space is counted in blocks, so less than one is not worth a step.
      double share = Math.max(excess, StoredSize.BLOCK_BYTES) / rowBytes / rowsOfOldest;
      long span = (long) Math.ceil(Math.min(1, share) * (newest - oldest.oldest));
      long log = checkpoints.logBytes();
      long removed = remove(oldest, rowsOfOldest, newest - MIN_KEPT_MICROS, span);
      pendingBytes += removed * rowBytes + Math.max(0, checkpoints.logBytes() - log);
      if (removed > 0) {
        return true;
      }
    }
    return removedSinceCheckpoint == 0 && shrinkRollups();
  }

  private boolean shrinkRollups() throws SQLException {
    for (RetainedTable kept : all()) {
      if (kept.rollups.removeOldest()) {
        removedSinceCheckpoint++;
        return true;
      }
    }
    if (!isTooLarge) {
      LOG.warn(
          "the store is larger than store.retention.size ({} bytes) though only the newest rows and"
              + " rollups are left: raise the limit, or lower rollups.retention",
          config.sizeBytes());
    }
    isTooLarge = true;
    return false;
  }

  void checkpoint() throws SQLException {
    long before = usedBytes();
    try {
      checkpoints.checkpoint();
    } catch (StoreException e) {
      LOG.debug("no checkpoint now", e); // writers are at work: next time
      return;
    }
    boolean isFreed = usedBytes() < before;
    checkpointsInVain = isFreed ? 0 : checkpointsInVain + 1;
    if (isFreed || checkpointsInVain >= PATIENCE) {
      removedSinceCheckpoint = 0;
      pendingBytes = 0;
      checkpointsInVain = 0;
    }
  }

  private long usedBytes() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT used_blocks * block_size FROM pragma_database_size() WHERE database_name = '%s'"
                    .formatted(Catalog.DATABASE))) {
      return (row.next() ? row.getLong(1) : 0) + checkpoints.logBytes();
    }
  }

  /** Ends the thread after its step. */
  @Override
  public void close() throws SQLException {
    Worker running;
    synchronized (this) {
      running = worker;
    }
    if (running != null) {
      running.close();
    }
    connection.close();
  }
}
