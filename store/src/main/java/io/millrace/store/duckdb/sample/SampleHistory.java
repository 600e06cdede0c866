package io.millrace.store.duckdb.sample;

import io.millrace.store.duckdb.history.HistoryColumn;
import io.millrace.store.duckdb.history.HistoryTables;
import io.millrace.store.duckdb.history.TieredTable;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.rollup.Grain;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBConnection;

/** Sampled rows of closed days, in files. Used by one thread at a time. */
public final class SampleHistory {
  private static final int DAYS_OF_DAYS = 32;

  private final String table;
  private final HistoryTables files;
  private final Map<SampleTables, TieredTable> tiered = new EnumMap<>(SampleTables.class);

  public SampleHistory(String table, HistoryTables files) {
    this.table = table;
    this.files = files;
  }

  /** Name of a table for readers of the files. */
  private static String published(String table, SampleTables which) {
    return SampleView.name(table) + "_" + which.grain().label();
  }

  /** Names of all tables for readers of the files. */
  public static List<String> published(String table) {
    return SampleTables.FOLDED.stream().map(which -> published(table, which)).toList();
  }

  /**
   * Creates the views of existing tables.
   *
   * @param isNew whether the database had no sample before
   */
  public void open(
      DuckDBConnection connection, Statement statement, FlowLayout layout, boolean isNew)
      throws SQLException {
    List<HistoryColumn> columns = new ArrayList<>();
    for (FlowLayout.Column column : layout.columns()) {
      columns.add(new HistoryColumn(column.name(), column.sqlType(), layout.isText(column.name())));
    }
    columns.add(new HistoryColumn(SampleTables.DRAW, "FLOAT", false));
    SampleTables.thresholds()
        .forEach(name -> columns.add(new HistoryColumn(name, "DOUBLE", false)));
    for (SampleTables which : SampleTables.FOLDED) {
      if (isNew) {
        files.setAside(published(table, which));
      }
      TieredTable its =
          new TieredTable(
              table,
              which.unqualified(table),
              "time",
              (which == SampleTables.DAY ? DAYS_OF_DAYS : 1) * Grain.DAY.micros(),
              List.of(),
              files.open(published(table, which), "time", columns));
      its.open(connection, statement);
      tiered.put(which, its);
    }
  }

  /**
   * Moves some rows of closed days to files.
   *
   * @param folded start of the first open day, microseconds
   * @return whether there may be more to move
   */
  public boolean step(DuckDBConnection connection, Statement statement, long folded)
      throws SQLException {
    for (TieredTable each : tiered.values()) {
      if (each.isDue(folded) && each.move(connection, statement, folded)) {
        return true;
      }
    }
    return false;
  }

  /** Whether {@link #step} may have something to do. */
  public boolean isDue(long folded) {
    return tiered.values().stream().anyMatch(each -> each.isDue(folded));
  }

  /** Makes committed changes visible to other engines. */
  public void publish(DuckDBConnection connection) throws SQLException {
    for (TieredTable each : tiered.values()) {
      each.publish(connection);
    }
  }

  void delete(DuckDBConnection connection, Statement statement, SampleTables which, long to)
      throws SQLException {
    tiered.get(which).delete(connection, statement, to);
  }

  /** Deletes the files of a dropped sample. */
  public void deleteFiles() {
    published(table).forEach(files::drop);
    tiered.clear();
  }
}
