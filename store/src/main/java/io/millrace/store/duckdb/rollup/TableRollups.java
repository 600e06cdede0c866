package io.millrace.store.duckdb.rollup;

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
 * The rollups of one table of flows: rolls up what checkpoints cover, one range of the log after
 * the other, and folds what is over. Each step is one transaction, so that what is stored is whole
 * after any crash.
 *
 * <p>Steps are taken by the thread of {@link Rollups}. Sums are of rows that a snapshot has, so
 * none is ever taken off again.
 */
public final class TableRollups implements AutoCloseable {
  private static final long ROLL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int MANY = 8;

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** A minute is over when rows of so much after it were rolled up. */
  public static final long LATENESS_MICROS = TimeUnit.SECONDS.toMicros(10);

  /** The same where records cover past minutes: until most time-outs have passed. */
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
  private final RowsView.Source showing;
  private final SealedSums sums;

  private final ReentrantLock working = new ReentrantLock();

  private volatile Frontier committed;

  /** Why steps fail, and since when; null while they do not. */
  private volatile RollupFailure failing;

  // All below is guarded by the lock.
  private RollupSql sql;
  private double rowsPerValue = Double.NaN;
  private long rolledAt = System.nanoTime();
  private long retryAt;
  private boolean isMoveFailing;
  private long moveAt;
  private long lateness = LATENESS_MICROS;

  /**
   * Opens what is kept of a table: makes the sets that are new, drops those that are not wanted any
   * more, leaves out those by default whose columns the table has not.
   *
   * @param connection its own from now on
   * @param flows the view of the table
   * @param showing makes the connection see the rows that a snapshot has
   * @param sums of the rows that are sealed from now on
   * @param files where buckets are moved that are over for long
   * @param rollRows rows that are rolled up at once, at most: the more, the fewer groups a row
   * @param wake is called when there may be a step to take
   * @param clockMicros microseconds since the epoch, by which buckets grow old
   */
  public TableRollups(
      DuckDBConnection connection,
      CommitMemory memory,
      String table,
      Map<FlowPart, FlowLayout> layouts,
      FlowView flows,
      Frontier committed,
      RowsView.Source showing,
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
    this.showing = showing;
    this.sums = sums;
    samples =
        new RollupSamples(
            transactions, table, layouts.get(FlowPart.RECORDS), files, config, clockMicros);
    try (RowsView shown = showing.show(connection)) {
      long oldest = oldest(shown);
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

  /** Where new sets begin: all of the oldest bucket is there if no row was ever removed. */
  private long oldest(RowsView shown) {
    long oldest =
        shown.extents(table).values().stream().mapToLong(RowExtent::oldest).min().orElseThrow();
    boolean isWhole = shown.removedBefore(table) == Long.MIN_VALUE;
    return isWhole || oldest == Long.MAX_VALUE ? RollupCatalog.ALWAYS : oldest;
  }

  /** Names of the views of all sets, and of the sample. */
  public List<String> views() throws SQLException {
    List<String> views = new ArrayList<>(sets.views());
    if (samples.isKept()) {
      views.add(SampleView.name(table));
    }
    return views;
  }

  /** Says how far the log may be rolled up. */
  public void committed(Frontier frontier) {
    committed = frontier;
    wake.run();
  }

  Optional<String> problem() {
    return Optional.ofNullable(failing).map(its -> its.line(table));
  }

  // ---- steps, by the thread of the rollups

  long step(long now) {
    working.lock();
    try {
      if (transactions.isStopped() || !config.enabled() || now < retryAt) {
        return ROLL_NANOS;
      }
      long wait = next(now, false);
      failing = null;
      return wait;
    } catch (SQLException e) {
      return failed(e, now);
    } finally {
      working.unlock();
    }
  }

  void rollUp() throws SQLException {
    while (config.enabled()) {
      working.lock();
      try {
        long wait = next(System.nanoTime(), true);
        failing = null;
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

  private long failed(SQLException e, long now) {
    if (transactions.isStopped()) {
      return ROLL_NANOS;
    }
    try {
      widenFor(e);
      return 0;
    } catch (SQLException unmended) {
      return warned(unmended, now);
    }
  }

  private long warned(SQLException e, long now) {
    RollupFailure before = failing;
    failing = before == null ? RollupFailure.first(e) : before.again(e);
    if (before == null) {
      Rollups.LOG.warn(failing.line(table), DiskFailures.isOfDisk(e) ? null : e);
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
    Frontier target = committed; // first: the rows that are shown next have all of it
    try (RowsView shown = showing.show(transactions.connection())) {
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
    if (!isAtOnce && group.isNewest() && rows < (double) rollRows / MANY && wait > 0) {
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
    Map<FlowPart, RowExtent> read = shown.read(table, file -> file.mayHave(all));
    LogRange range =
        estimatedRows <= 2 * rollRows // not so where nothing is known
            ? all
            : RollupSlices.first(transactions.connection(), table, all, rollRows);
    transactions.run(
        statement -> {
          RollupWriter.WrittenRollup written = writer.write(statement, group.sets(), range, read);
          finish(statement, writer, group, range, written);
          samples.take(statement, range, read);
        });
  }

  /** Rows up to the next commit whose sums are there. */
  private LogRange rowRange(RollupGroup group) {
    LogRange all = group.range();
    return group.isNewest()
        ? sums.next(all.from()).map(next -> all.within(all.from(), next)).orElse(all)
        : all;
  }

  private void fold() throws SQLException {
    Map<StoredRollup, List<Grain>> due = new LinkedHashMap<>();
    for (StoredRollup set : transactions.catalog().sets()) {
      long over = over(set);
      List<Grain> grains =
          Arrays.stream(Grain.values())
              .filter(grain -> grain.bucket(over) > set.times().get(grain).complete())
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
                folder.fold(statement, set.getKey(), grain, grain.bucket(over(set.getKey())), sql);
              }
            }
          });
    }
    samples.fold(lateness);
    retention.step(transactions.catalog());
    var unused = move(); // the rest with the next step
  }

  /** Moves past days to files. If that fails, they stay where they are and rolling goes on. */
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
            "table {}: cannot move rollups of past days to files, trying again every 30 s: {}",
            table,
            e.getMessage());
      }
      isMoveFailing = true;
      moveAt = System.nanoTime() + RETRY_NANOS;
      return false;
    }
  }

  private long over(StoredRollup set) {
    return set.newest() == RollupCatalog.ALWAYS
        ? 0
        : Math.min(set.newest(), System.currentTimeMillis() * 1_000) - lateness;
  }

  /**
   * Deletes a day of the oldest buckets of the shortest grain that has any beyond the newest day;
   * whether there were some.
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
   * How far the log is in all rollups: rows up to there may be removed; in the transaction of the
   * connection. All of the given frontier where nothing is rolled up.
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

  /** Ends the step that is being taken; none comes after it. */
  @Override
  public void close() throws SQLException {
    stop();
    try {
      transactions.close();
    } finally {
      working.unlock(); // stays stopped
    }
  }
}
