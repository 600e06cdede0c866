package io.millrace.store.duckdb;

import io.millrace.pulse.Worker;
import io.millrace.store.ResultRetention;
import io.millrace.store.RetentionConfig;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.history.TieredTable;
import io.millrace.store.duckdb.results.DuckDbResultTable;
import io.millrace.store.duckdb.results.ResultRemoval;
import io.millrace.store.duckdb.rollup.TableRollups;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.iceberg.IcebergFlows;
import io.millrace.store.rollup.Grain;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that removes rows that exceed their age or size limit.
 *
 * <p>Rows of flows are removed by whole hours, with a snapshot that no longer lists their files.
 * Rows of results are deleted from the database in small steps. Their space is freed by its next
 * checkpoint, which this thread requests.
 */
final class Retention implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

  private static final long POLL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration STALL_TIMEOUT = Duration.ofMinutes(5);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

  private static final long CHECKPOINT_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long MIN_KEPT_MICROS = TimeUnit.MINUTES.toMicros(10);

  /** Checkpoints after which removed rows are assumed to be freed. */
  private static final int PATIENCE = 4;

  private final DuckDBConnection connection;
  private final RetentionConfig config;
  private final ResultRemoval results;
  private final Checkpoints checkpoints;
  private final LongSupplier clockMicros;
  private final Map<String, RetainedTable> tables = new TreeMap<>(); // guarded by this
  private Worker worker;

  // Used only by the thread, or by a test in its place.
  private long removedSinceCheckpoint;
  private long checkpointAt;
  private int checkpointsInVain;
  private boolean isFailing;
  private boolean isTooLarge;

  private record RetainedTable(IcebergFlows rows, TableRollups rollups) {}

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

  synchronized void add(IcebergFlows table, TableRollups rollups) {
    tables.put(table.name(), new RetainedTable(table, rollups));
  }

  void declare(String table, ResultRetention limits) {
    results.declare(table, limits);
  }

  synchronized void remove(String name) {
    tables.remove(name);
  }

  synchronized void start() {
    worker = new Worker("store-retention", STALL_TIMEOUT, this::run);
  }

  private void run(Worker own) {
    while (own.pause(isFailing ? RETRY_NANOS : POLL_NANOS)) {
      try {
        while (step() && own.pause(STEP_NANOS)) {
          // The step removed something; the next one follows after a pause.
        }
        isFailing = false;
      } catch (SQLException | StoreException e) {
        if (!isFailing) {
          LOG.warn("cannot remove old rows; retrying every 30 s: {}", e.getMessage());
        }
        isFailing = true;
      }
    }
  }

  int retain() throws SQLException {
    results.checkAtNextStep();
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
    long age = TimeUnit.NANOSECONDS.toMicros(config.rows().toNanos());
    for (RetainedTable table : tables.values()) {
      long newest = newest(table);
      isBusy |= newest > Long.MIN_VALUE && table.rows.remove(newest - age) > 0;
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

  /** Time of the newest row, at most now: a row dated in the future must not expire all others. */
  private long newest(RetainedTable table) {
    return Math.min(table.rows.newest(), clockMicros.getAsLong());
  }

  private boolean shrink() throws SQLException {
    long used = usedBytes() + TieredTable.allBytes(connection);
    for (RetainedTable table : tables.values()) {
      used += table.rows.fileBytes();
    }
    if (used <= config.sizeBytes()) {
      isTooLarge = false;
      return false;
    }
    RetainedTable oldest = null;
    for (RetainedTable table : tables.values()) {
      if (oldest == null || table.rows.oldest() < oldest.rows.oldest()) {
        oldest = table;
      }
    }
    if (oldest != null && oldest.rows.newest() > Long.MIN_VALUE) {
      long hour = Grain.HOUR.bucket(oldest.rows.oldest()) + Grain.HOUR.micros();
      if (hour <= newest(oldest) - MIN_KEPT_MICROS && oldest.rows.remove(hour) > 0) {
        return true;
      }
    }
    return removedSinceCheckpoint == 0 && shrinkRollups();
  }

  private boolean shrinkRollups() throws SQLException {
    for (RetainedTable table : tables.values()) {
      if (table.rollups.removeOldest()) {
        removedSinceCheckpoint++;
        return true;
      }
    }
    if (!isTooLarge) {
      LOG.warn(
          "the store is larger than store.retention.size ({} bytes), although only the newest rows"
              + " and rollups are left: raise the limit, or lower rollups.retention",
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
      LOG.debug("no checkpoint now", e); // writers are active; retried later
      return;
    }
    boolean isFreed = usedBytes() < before;
    checkpointsInVain = isFreed ? 0 : checkpointsInVain + 1;
    if (isFreed || checkpointsInVain >= PATIENCE) {
      removedSinceCheckpoint = 0;
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

  /** Stops the thread after its current step. */
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
