package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.duckdb.DuckDBConnection;

/** Rows in tables of the database instead of files, which every transaction sees. */
final class TableRows implements RowsView {
  private final Map<FlowPart, RowExtent> extents = new EnumMap<>(FlowPart.class);
  private final long removedBefore;

  TableRows(DuckDBConnection connection, long removedBefore) throws SQLException {
    this.removedBefore = removedBefore;
    for (FlowPart part : FlowPart.values()) {
      extents.put(part, RowExtent.NONE);
      SqlRows.forEach(
          connection,
          "SELECT count(*), epoch_us(min(time)), epoch_us(max(time)), min(log_partition), max(log_partition), min(log_offset), max(log_offset) FROM "
              + Catalog.raw(part.tableName("flows")),
          row -> {
            if (row.getLong(1) > 0) {
              extents.put(
                  part,
                  new RowExtent(
                      row.getLong(1),
                      row.getLong(2),
                      row.getLong(3),
                      row.getInt(4),
                      row.getInt(5),
                      row.getLong(6),
                      row.getLong(7)));
            }
          });
    }
  }

  @Override
  public Map<FlowPart, RowExtent> extents(String table) {
    return extents;
  }

  @Override
  public List<RowExtent> files(String table) {
    return List.copyOf(extents.values());
  }

  @Override
  public long removedBefore(String table) {
    return removedBefore;
  }

  @Override
  public Map<FlowPart, RowExtent> read(String table, Predicate<RowExtent> wanted) {
    return extents;
  }

  @Override
  public void readAll() {}

  @Override
  public void close() {}
}
