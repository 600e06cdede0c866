package io.millrace.store.duckdb.sample;

import io.millrace.store.duckdb.history.FiledTable;
import io.millrace.store.duckdb.history.HistoryColumn;
import io.millrace.store.duckdb.history.HistoryTables;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.rollup.Grain;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBConnection;

/** The sampled rows of days that are over, which are in files. Used by one thread at a time. */
public final class SampleHistory {
  private static final int DAYS_OF_DAYS = 32;

  private final String table;
  private final HistoryTables files;
  private final Map<SampleTables, FiledTable> filed = new EnumMap<>(SampleTables.class);

  /** The sample of a table of flows. */
  public SampleHistory(String table, HistoryTables files) {
    this.table = table;
    this.files = files;
  }

  /** Name of a table for readers. */
  private static String published(String table, SampleTables which) {
    return SampleView.name(table) + "_" + which.grain().label();
  }

  /** Names of all tables for readers. */
  public static List<String> published(String table) {
    return SampleTables.FOLDED.stream().map(which -> published(table, which)).toList();
  }

  /**
   * Makes the views; the tables are there.
   *
   * @param isNew whether the database has had no sample so far
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
      FiledTable its =
          new FiledTable(
              table,
              which.unqualified(table),
              "time",
              (which == SampleTables.DAY ? DAYS_OF_DAYS : 1) * Grain.DAY.micros(),
              List.of(),
              files.open(published(table, which), "time", columns));
      its.open(connection, statement);
      filed.put(which, its);
    }
  }

  /**
   * Moves a part of the rows of days that are over.
   *
   * @param folded start of the first day that is not, microseconds
   * @return whether there may be more to move
   */
  public boolean step(DuckDBConnection connection, Statement statement, long folded)
      throws SQLException {
    for (FiledTable each : filed.values()) {
      if (each.isDue(folded) && each.move(connection, statement, folded)) {
        return true;
      }
    }
    return false;
  }

  /** Whether {@link #step} may have something to do. */
  public boolean isDue(long folded) {
    return filed.values().stream().anyMatch(each -> each.isDue(folded));
  }

  /** Makes other engines see what transactions have left. */
  public void list(DuckDBConnection connection) throws SQLException {
    for (FiledTable each : filed.values()) {
      each.list(connection);
    }
  }

  void delete(DuckDBConnection connection, Statement statement, SampleTables which, long to)
      throws SQLException {
    filed.get(which).delete(connection, statement, to);
  }

  /** Deletes the files of a sample that was dropped. */
  public void deleteFiles() {
    published(table).forEach(files::drop);
    filed.clear();
  }
}
