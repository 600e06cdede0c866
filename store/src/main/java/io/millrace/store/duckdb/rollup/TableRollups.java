package io.millrace.store.duckdb.rollup;

import io.millrace.store.QueryException;
import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.history.HistoryTables;
import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.sample.SampleView;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sums.SealedSums;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.StoredRollup;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.duckdb.DuckDBConnection;

/**
 * Rollups of one table of flows. Aggregates committed log ranges one at a time and folds closed
 * buckets into longer ones. Each step is one transaction, so a crash never leaves a partial step.
 *
 * <p>{@link Rollups} runs the steps on its thread; a lock serializes them with calls from other
 * threads. Only committed rows are aggregated, so sums are never subtracted again.
 */
public final class TableRollups implements AutoCloseable {
  private static final long ROLL_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** A step starts early when 1/{@value} of its maximum of rows is committed. */
  private static final int EARLY_FRACTION = 8;

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * Allowed lateness: a minute is closed when rows that arrived this long after it are rolled up.
   */
  public static final long LATENESS_MICROS = TimeUnit.SECONDS.toMicros(10);

  /**
   * Allowed lateness if records cover minutes before their arrival; longer than most flow timeouts.
   */
  public static final long SPREAD_LATENESS_MICROS = TimeUnit.MINUTES.toMicros(6);

  private final RollupTransactions transactions;
  private final RollupSets sets;
  private final RollupHistory history;
  private final String table;
  private final Map<FlowPart, FlowLayout> layouts;
  private final RollupConfig config;
  private final long rollRows;
  private final Runnable wake;
  private final RollupFolder folder;
  private final RollupRetention retention;
  private final RollupSamples samples;
  private final RollupRules rules;
  private final RowsView.Source viewSource;
  private final SealedSums sums;

  private final ReentrantLock working = new ReentrantLock();

  private volatile Frontier committed;

  /** Why steps fail; null if the last one succeeded. */
  private volatile RollupFailure failure;

  // Guarded by the lock.
  private RollupSql sql;
  private double rowsPerValue = Double.NaN;
  private long rolledAt = System.nanoTime();
  private long retryAt;
  private boolean isMoveFailing;
  private long moveAt;
  private long lateness = LATENESS_MICROS;

  /**
   * Opens the rollups of a table: creates new sets, drops sets that are no longer configured, and
   * skips default sets with columns that the table lacks.
   *
   * @param connection owned by this object from now on
   * @param flows view of the table
   * @param viewSource makes committed rows visible to the connection
   * @param sums sums of rows, made when the rows are sealed
   * @param files target for closed buckets of past days
   * @param rollRows target number of rows per step; more rows give fewer stored groups per row
   * @param wake called when a step may be due
   * @param clockMicros current time for retention, microseconds since the epoch
   */
  public TableRollups(
      DuckDBConnection connection,
      CommitMemory memory,
      String table,
      Map<FlowPart, FlowLayout> layouts,
      FlowView flows,
      Frontier committed,
      RowsView.Source viewSource,
      SealedSums sums,
      HistoryTables files,
      RollupConfig config,
      long rollRows,
      Runnable wake,
      LongSupplier clockMicros)
      throws SQLException {
    transactions = new RollupTransactions(connection, memory, table);
    history = new RollupHistory(transactions, table, layouts.get(FlowPart.RECORDS), files);
    sets = new RollupSets(transactions, table, layouts, history);
    this.table = table;
    this.layouts = layouts;
    this.committed = committed;
    this.config = config;
    this.rollRows = rollRows;
    this.wake = wake;
    folder = new RollupFolder(table, config.keep(), config.accounting(), history);
    retention =
        new RollupRetention(
            transactions,
            folder,
            history,
            config.retention(),
            table,
            RollupRetention.MAX_SUMS,
            clockMicros);
    rules =
        RollupRules.open(connection, table, committed, config.longestFlow(), config.longestDelay());
    this.viewSource = viewSource;
    this.sums = sums;
    samples =
        new RollupSamples(
            transactions, table, layouts.get(FlowPart.RECORDS), files, config, clockMicros);
    try (RowsView shown = viewSource.show(connection)) {
      long oldest = startOfNewSets(shown);
      sql = sets.open(config, oldest);
      samples.open(flows, layouts.get(FlowPart.RECORDS), oldest);
      transactions.run(
          statement -> {
            for (StoredRollup kept : transactions.catalog().sets()) {
              for (String view : RollupViews.create(flows, kept.set(), config.accounting())) {
                statement.execute(view);
              }
            }
          });
    }
    if (config.enabled()) {
      sums.start(
          connection,
          transactions.catalog().sets().stream().map(StoredRollup::set).toList(),
          config.longestFlow().toNanos() / 1_000,
          config.longestDelay().toNanos() / 1_000,
          config.samples());
    }
  }

  /**
   * Time from which new sets are kept. If no row was ever removed, the oldest bucket is complete.
   */
  private long startOfNewSets(RowsView shown) {
    long oldest =
        shown.extents(table).values().stream().mapToLong(RowExtent::oldest).min().orElseThrow();
    boolean isWhole = shown.removedBefore(table) == Long.MIN_VALUE;
    return isWhole || oldest == Long.MAX_VALUE ? RollupCatalog.ALWAYS : oldest;
  }

  /** Names of the views of all sets and of the sample. */
  public List<String> views() throws SQLException {
    List<String> views = new ArrayList<>(sets.views());
    if (samples.isKept()) {
      views.add(SampleView.name(table));
    }
    return views;
  }

  /** Sets the log position up to which rows may be rolled up. */
  public void committed(Frontier frontier) {
    committed = frontier;
    wake.run();
  }

  Optional<String> problem() {
    return Optional.ofNullable(failure).map(its -> its.line(table));
  }

  // ---- steps, on the thread of the rollups

  long step(long now) {
    working.lock();
    try {
      if (transactions.isStopped() || !config.enabled() || now < retryAt) {
        return ROLL_NANOS;
      }
      long wait = next(now, false);
      failure = null;
      return wait;
    } catch (SQLException e) {
      return handleFailure(e, now);
    } finally {
      working.unlock();
    }
  }

  void rollUp() throws SQLException {
    while (config.enabled()) {
      working.lock();
      try {
        long wait = next(System.nanoTime(), true);
        failure = null;
        if (wait > 0) {
          retention.shrink(transactions.catalog());
          return;
        }
      } catch (SQLException e) {
        widenFor(e);
      } finally {
        working.unlock();
      }
    }
  }

  private long handleFailure(SQLException e, long now) {
    if (transactions.isStopped()) {
      return ROLL_NANOS;
    }
    try {
      widenFor(e);
      return 0;
    } catch (SQLException unrecoverable) {
      return warnAndRetry(unrecoverable, now);
    }
  }

  private long warnAndRetry(SQLException e, long now) {
    RollupFailure before = failure;
    failure = before == null ? RollupFailure.first(e) : before.again(e);
    if (before == null) {
      Rollups.LOG.warn(failure.line(table), DiskFailures.isDiskFailure(e) ? null : e);
    }
    retryAt = now + RETRY_NANOS;
    return RETRY_NANOS;
  }

  private void widenFor(SQLException e) throws SQLException {
    String message = String.valueOf(e.getMessage());
    boolean isOverflow =
        message.contains("Out of Range Error") || message.contains("Conversion Error");
    if (!isOverflow || sql.equals(RollupSql.WIDE)) {
      throw e;
    }
    sql = sets.widen();
  }

  private long next(long now, boolean isAtOnce) throws SQLException {
    try {
      return nextStep(now, isAtOnce);
    } catch (QueryException e) { // files of an object store cannot be fetched
      throw new SQLException(e.getMessage(), e);
    }
  }

  private long nextStep(long now, boolean isAtOnce) throws SQLException {
    Frontier target = committed; // read before the view is made, which then has all rows up to it
    try (RowsView shown = viewSource.show(transactions.connection())) {
      return step(shown, target, now, isAtOnce);
    }
  }

  private long step(RowsView shown, Frontier target, long now, boolean isAtOnce)
      throws SQLException {
    RollupCatalog catalog = transactions.catalog();
    RollupGroup group = RollupGroup.next(catalog.sets(), target);
    if (group == null) {
      return sample(shown, target, catalog) || retention.step(catalog) || move() ? 0 : ROLL_NANOS;
    }
    double rows = group.range().values() * rowsPerValue;
    long wait = rolledAt + ROLL_NANOS - now;
    if (!isAtOnce && group.isNewest() && rows < (double) rollRows / EARLY_FRACTION && wait > 0) {
      return wait;
    }
    rolledAt = now;
    SealedSums.Run sealed = sealed(group);
    if (sealed == null) {
      roll(shown, group, rows);
    } else {
      roll(group, sealed);
    }
    sums.release(rolled(transactions.catalog(), target));
    sample(shown, target, transactions.catalog());
    fold();
    return 0;
  }

  private SealedSums.Run sealed(RollupGroup group) {
    return group.isNewest() ? sums.after(group.range().from()).orElse(null) : null;
  }

  private static Frontier rolled(RollupCatalog catalog, Frontier target) {
    return catalog.sets().isEmpty()
        ? target
        : catalog.sets().stream().map(StoredRollup::rolled).reduce(Frontier.EMPTY, Frontier::union);
  }

  private boolean sample(RowsView shown, Frontier target, RollupCatalog catalog)
      throws SQLException {
    return samples.step(shown, rolled(catalog, target), 2 * rollRows / rowsPerValue, rollRows);
  }

  private void roll(RollupGroup group, SealedSums.Run sealed) throws SQLException {
    RollupWriter writer = new RollupWriter(table, layouts, rules, folder, sql);
    try (SealedSums.Shown shown = sums.show(sealed)) {
      transactions.run(
          statement -> {
            RollupWriter.WrittenRollup written = writer.write(statement, group.sets(), shown);
            finish(statement, writer, group, sealed.range(), written);
            samples.take(statement, shown);
          });
    }
  }

  private void finish(
      Statement statement,
      RollupWriter writer,
      RollupGroup group,
      LogRange range,
      RollupWriter.WrittenRollup written)
      throws SQLException {
    if (written.rows() > 0) {
      lateness = written.isSpread() ? SPREAD_LATENESS_MICROS : LATENESS_MICROS;
      rowsPerValue = written.rows() / range.values();
    }
    for (StoredRollup set : group.sets()) {
      writer.store(statement, set.set().name(), set.rolled().union(range.to()), written.newest());
    }
  }

  private void roll(RowsView shown, RollupGroup group, double estimatedRows) throws SQLException {
    RollupWriter writer = new RollupWriter(table, layouts, rules, folder, sql);
    LogRange all = rowRange(group);
    LogRange range =
        estimatedRows <= 2 * rollRows // false for NaN: unknown
            ? all
            : RollupSlices.first(shown, transactions.connection(), table, all, rollRows);
    Map<FlowPart, RowExtent> read = shown.read(table, file -> file.mayHave(range));
    transactions.run(
        statement -> {
          RollupWriter.WrittenRollup written = writer.write(statement, group.sets(), range, read);
          finish(statement, writer, group, range, written);
          samples.take(statement, range, read);
        });
  }

  /** Log range of rows to read, up to the next commit that has sums. */
  private LogRange rowRange(RollupGroup group) {
    LogRange all = group.range();
    return group.isNewest()
        ? sums.next(all.from()).map(next -> all.within(all.from(), next)).orElse(all)
        : all;
  }

  private void fold() throws SQLException {
    Map<StoredRollup, List<Grain>> due = new LinkedHashMap<>();
    for (StoredRollup set : transactions.catalog().sets()) {
      long closed = closedUntil(set);
      List<Grain> grains =
          Arrays.stream(Grain.values())
              .filter(grain -> grain.bucket(closed) > set.times().get(grain).complete())
              .toList();
      if (!grains.isEmpty()) {
        due.put(set, grains);
      }
    }
    if (!due.isEmpty()) {
      transactions.run(
          statement -> {
            for (Map.Entry<StoredRollup, List<Grain>> set : due.entrySet()) {
              for (Grain grain : set.getValue()) {
                folder.fold(
                    statement, set.getKey(), grain, grain.bucket(closedUntil(set.getKey())), sql);
              }
            }
          });
    }
    samples.fold(lateness);
    retention.step(transactions.catalog());
    var unused = move(); // the next step moves the rest
  }

  /** Moves past days to files. If that fails, they stay in the database and rollups continue. */
  private boolean move() {
    if (isMoveFailing && System.nanoTime() - moveAt < 0) {
      return false;
    }
    try {
      boolean hasMore = history.step(transactions.catalog());
      hasMore |= samples.move();
      isMoveFailing = false;
      return hasMore;
    } catch (SQLException | RuntimeException e) {
      if (!isMoveFailing && !transactions.isStopped()) {
        Rollups.LOG.warn(
            "table {}: cannot move rollups of past days to files; retrying every 30 s: {}",
            table,
            e.getMessage());
      }
      isMoveFailing = true;
      moveAt = System.nanoTime() + RETRY_NANOS;
      return false;
    }
  }

  private long closedUntil(StoredRollup set) {
    return set.newest() == RollupCatalog.ALWAYS
        ? 0
        : Math.min(set.newest(), System.currentTimeMillis() * 1_000) - lateness;
  }

  /**
   * Deletes up to a day of the oldest buckets, of the shortest grain that has buckets older than
   * its newest day. Returns whether it deleted any.
   */
  public boolean removeOldest() throws SQLException {
    working.lock();
    try {
      return !transactions.isStopped() && retention.removeOldest(transactions.catalog());
    } finally {
      working.unlock();
    }
  }

  /**
   * Log position up to which all rollups and the sample have the rows, so that these may be
   * removed; {@code covered} if rollups are disabled. Reads in the transaction of the connection.
   */
  public Frontier rolled(DuckDBConnection own, Frontier covered) throws SQLException {
    Frontier rolled = covered;
    if (config.enabled()) {
      for (StoredRollup set : RollupCatalog.read(own, table).sets()) {
        rolled = LogRange.least(rolled, set.rolled());
      }
    }
    return samples.least(own, rolled);
  }

  private void stop() {
    transactions.stop();
    boolean wasInterrupted = false;
    while (true) {
      try {
        if (working.tryLock(10, TimeUnit.MILLISECONDS)) {
          break;
        }
        transactions.cancel();
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Cancels the running step; no other step starts. */
  @Override
  public void close() throws SQLException {
    stop();
    try {
      transactions.close();
    } finally {
      working.unlock(); // the transactions stay stopped
    }
  }
}
