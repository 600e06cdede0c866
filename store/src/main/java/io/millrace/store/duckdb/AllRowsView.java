package io.millrace.store.duckdb;

import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.iceberg.IcebergFlows;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.duckdb.DuckDBConnection;

/** The rows of several tables. */
record AllRowsView(Map<String, RowsView> tables) implements RowsView {

  static AllRowsView show(Collection<IcebergFlows> tables, DuckDBConnection connection)
      throws SQLException {
    AllRowsView all = new AllRowsView(new TreeMap<>());
    try {
      for (IcebergFlows table : tables) {
        all.tables.put(table.name(), table.show(connection));
      }
      return all;
    } catch (SQLException | RuntimeException e) {
      all.close();
      throw e;
    }
  }

  @Override
  public Map<FlowPart, RowExtent> extents(String table) {
    return tables.get(table).extents(table);
  }

  @Override
  public List<RowExtent> files(String table) {
    return tables.get(table).files(table);
  }

  @Override
  public long removedBefore(String table) {
    return tables.get(table).removedBefore(table);
  }

  @Override
  public Map<FlowPart, RowExtent> read(String table, Predicate<RowExtent> wanted)
      throws SQLException {
    return tables.get(table).read(table, wanted);
  }

  @Override
  public void readAll() throws SQLException {
    for (RowsView table : tables.values()) {
      table.readAll();
    }
  }

  @Override
  public void endWhen(BooleanSupplier isEnded) {
    tables.values().forEach(table -> table.endWhen(isEnded));
  }

  @Override
  public void close() {
    tables.values().forEach(RowsView::close);
  }
}
