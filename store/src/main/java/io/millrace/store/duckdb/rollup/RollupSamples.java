package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.history.HistoryTables;
import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.sample.SampleHistory;
import io.millrace.store.duckdb.sample.SampleState;
import io.millrace.store.duckdb.sample.SampleTables;
import io.millrace.store.duckdb.sample.SampleView;
import io.millrace.store.duckdb.sample.SampleWriter;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sums.SealedSums;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.duckdb.DuckDBConnection;

/**
 * Maintains the sample of a table of flows: samples the log ranges that are rolled up, chooses the
 * samples of closed days, and deletes expired ones. Each step is one transaction.
 */
final class RollupSamples {
  private final RollupTransactions transactions;
  private final String table;
  private final RollupConfig config;
  private final SampleWriter writer;
  private final SampleHistory history;
  private final LongSupplier clockMicros;

  RollupSamples(
      RollupTransactions transactions,
      String table,
      FlowLayout layout,
      HistoryTables files,
      RollupConfig config,
      LongSupplier clockMicros) {
    this.clockMicros = clockMicros;
    this.transactions = transactions;
    this.table = table;
    this.config = config;
    history = new SampleHistory(table, files);
    writer = new SampleWriter(table, layout, history);
  }

  void open(FlowView flows, FlowLayout layout, long oldest) throws SQLException {
    if (!config.enabled()) {
      return;
    }
    boolean isNew = state(transactions.connection()).isEmpty();
    transactions.run(
        statement -> {
          if (config.samples()) {
            SampleTables.open(transactions.connection(), table, layout);
            history.open(transactions.connection(), statement, layout, isNew);
            if (isNew) {
              SampleState.startingAt(oldest).store(statement, table);
            }
            statement.execute(SampleView.create(flows, layout));
          } else if (state(transactions.connection()).isPresent()) {
            for (String drop : SampleTables.drop(table)) {
              statement.execute(drop);
            }
          }
        });
    if (!config.samples() && !isNew) {
      history.deleteFiles();
    }
  }

  boolean isKept() throws SQLException {
    return state(transactions.connection()).isPresent();
  }

  private Optional<SampleState> state(DuckDBConnection connection) throws SQLException {
    return config.enabled() ? SampleState.read(connection, table) : Optional.empty();
  }

  boolean step(RowsView shown, Frontier rolled, double values, long rows) throws SQLException {
    SampleState state = state(transactions.connection()).orElse(null);
    LogRange all = state == null ? null : new LogRange(state.rolled(), rolled);
    if (all == null || all.isEmpty()) {
      return false;
    }
    LogRange range =
        all.values() <= values
            ? all
            : RollupSlices.first(shown, transactions.connection(), table, all, rows);
    Map<FlowPart, RowExtent> read = shown.read(table, file -> file.mayHave(range));
    transactions.run(statement -> writer.take(statement, state, range, read));
    return true;
  }

  void take(Statement statement, LogRange range, Map<FlowPart, RowExtent> read)
      throws SQLException {
    SampleState state = state(transactions.connection()).orElse(null);
    if (isNext(state, range)) {
      var unused = writer.take(statement, state, range, read);
    }
  }

  void take(Statement statement, SealedSums.Shown sealed) throws SQLException {
    SampleState state = state(transactions.connection()).orElse(null);
    if (isNext(state, sealed.run().range())) {
      var unused = writer.take(statement, state, sealed);
    }
  }

  private static boolean isNext(SampleState state, LogRange range) {
    return state != null
        && new LogRange(state.rolled(), range.from()).isEmpty()
        && new LogRange(range.from(), state.rolled()).isEmpty();
  }

  void fold(long lateness) throws SQLException {
    SampleState state = state(transactions.connection()).orElse(null);
    if (state == null || state.newest() == Long.MIN_VALUE) {
      return;
    }
    long newest = Math.min(state.newest(), System.currentTimeMillis() * 1_000);
    long closed = Grain.DAY.bucket(newest - lateness);
    if (closed > state.folded()) {
      transactions.run(statement -> writer.fold(statement, state, closed));
    }
    removeOld();
  }

  /**
   * Moves some rows of closed days to files.
   *
   * @return whether there may be more to move
   */
  boolean move() throws SQLException {
    SampleState state = state(transactions.connection()).orElse(null);
    if (state == null) {
      return false;
    }
    boolean[] isMoved = new boolean[1];
    if (history.isDue(state.folded())) {
      transactions.runUnchanged(
          statement ->
              isMoved[0] = history.step(transactions.connection(), statement, state.folded()));
    }
    if (!isMoved[0]) {
      history.publish(transactions.connection());
    }
    return isMoved[0];
  }

  private void removeOld() throws SQLException {
    SampleState state = state(transactions.connection()).orElseThrow();
    long newest = Math.min(state.newest(), clockMicros.getAsLong());
    for (Grain grain : SampleTables.GRAINS) {
      long age = TimeUnit.NANOSECONDS.toMicros(kept(grain).toNanos());
      long to = Math.min(state.folded(), Grain.DAY.bucket(newest - age));
      if (to > Math.max(0, state.from().get(grain))) {
        transactions.run(
            statement ->
                writer.remove(
                    transactions.connection(),
                    statement,
                    state(transactions.connection()).orElseThrow(),
                    grain,
                    to));
      }
    }
  }

  private Duration kept(Grain grain) {
    return switch (grain) {
      case MINUTE -> config.retention().minutes();
      case FIVE, HOUR -> config.retention().fiveMinutes();
      case DAY -> config.retention().hours();
    };
  }

  Frontier least(DuckDBConnection own, Frontier rolled) throws SQLException {
    return state(own).map(its -> LogRange.least(rolled, its.rolled())).orElse(rolled);
  }
}
