package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.history.HistoryColumn;
import io.millrace.store.duckdb.history.HistoryTables;
import io.millrace.store.duckdb.history.TieredTable;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupSet;
import io.millrace.store.rollup.StoredRollup;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Moves closed buckets to files. Used by one thread at a time. */
final class RollupHistory {
  /**
   * Buckets stay in the database for this long after they are closed, so that most late rows get
   * into the same file.
   */
  private static final long LATE_MICROS = TimeUnit.HOURS.toMicros(2);

  private static final int DAYS_OF_DAYS = 32;

  private final RollupTransactions transactions;
  private final String table;
  private final FlowLayout layout;
  private final HistoryTables files;
  private final Map<String, TieredTable> open = new HashMap<>();

  RollupHistory(
      RollupTransactions transactions, String table, FlowLayout layout, HistoryTables files) {
    this.transactions = transactions;
    this.table = table;
    this.layout = layout;
    this.files = files;
  }

  /** Stored table of a grain. */
  TieredTable of(RollupSet set, Grain grain) {
    return open.computeIfAbsent(
        RollupCatalog.storedName(table, set.name(), grain),
        name ->
            new TieredTable(
                table,
                name,
                "bucket",
                grain == Grain.DAY ? DAYS_OF_DAYS * Grain.DAY.micros() : Grain.DAY.micros(),
                RollupCatalog.SUMS,
                files.open(RollupViews.name(table, set.name(), grain), "bucket", columns(set))));
  }

  private List<HistoryColumn> columns(RollupSet set) {
    List<HistoryColumn> columns = new ArrayList<>();
    columns.add(new HistoryColumn("bucket", "TIMESTAMP", false));
    for (String name : set.columns()) {
      FlowLayout.Column column = layout.columns().get(layout.place(name));
      columns.add(new HistoryColumn(name, column.sqlType(), layout.isText(name)));
    }
    columns.add(new HistoryColumn("spread", "BOOLEAN", false));
    RollupCatalog.SUMS.forEach(sum -> columns.add(new HistoryColumn(sum, "BIGINT", false)));
    return columns;
  }

  private interface Work {
    void with(TieredTable tiered) throws SQLException;
  }

  private void forEach(RollupSet set, Work work) throws SQLException {
    for (Grain grain : Grain.values()) {
      work.with(of(set, grain));
    }
  }

  /** Creates the views of closed buckets. */
  void open(RollupSet set, Statement statement) throws SQLException {
    forEach(set, tiered -> tiered.open(transactions.connection(), statement));
  }

  /** Recreates the views after their tables changed. */
  void createViews(RollupSet set, Statement statement) throws SQLException {
    forEach(set, tiered -> tiered.createView(transactions.connection(), statement));
  }

  /** Drops the views, so that their tables can be changed. */
  void dropViews(RollupSet set, Statement statement) throws SQLException {
    forEach(set, tiered -> tiered.dropView(statement));
  }

  /**
   * Sets aside files that a lost database left behind, before a set of the same name is created.
   */
  void setAside(RollupSet set) {
    for (Grain grain : Grain.values()) {
      files.setAside(RollupViews.name(table, set.name(), grain));
    }
  }

  /** Drops the views and removes the files from the catalog. */
  void drop(RollupSet set, Statement statement) throws SQLException {
    forEach(set, tiered -> tiered.drop(statement));
  }

  /** Deletes the files of a dropped set. */
  void deleteFiles(RollupSet set) {
    for (Grain grain : Grain.values()) {
      open.remove(RollupCatalog.storedName(table, set.name(), grain));
      files.drop(RollupViews.name(table, set.name(), grain));
    }
  }

  /**
   * Moves some closed buckets to files.
   *
   * @return whether there may be more to move
   */
  boolean step(RollupCatalog catalog) throws SQLException {
    boolean hasMore = false;
    for (StoredRollup set : catalog.sets()) {
      for (Grain grain : Grain.values()) {
        hasMore |= step(of(set.set(), grain), set.times().get(grain).complete());
      }
    }
    return hasMore;
  }

  private boolean step(TieredTable tiered, long complete) throws SQLException {
    boolean hasMore = false;
    if (complete != RollupCatalog.ALWAYS && tiered.isDue(complete - LATE_MICROS)) {
      boolean[] isMoved = new boolean[1];
      transactions.runUnchanged(
          statement -> {
            isMoved[0] = tiered.move(transactions.connection(), statement, complete - LATE_MICROS);
            if (isMoved[0]) { // cached lists of files are stale
              RollupCatalog.raiseVersion(statement, table);
            }
          });
      hasMore = isMoved[0];
    }
    if (!hasMore) { // one snapshot lists all moved buckets
      tiered.publish(transactions.connection());
    }
    return hasMore;
  }
}
