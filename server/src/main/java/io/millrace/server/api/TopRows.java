package io.millrace.server.api;

import io.millrace.store.QueryResult;
import io.millrace.store.TopResult;
import java.util.ArrayList;
import java.util.List;

final class TopRows implements QueryResult {
  private final List<Column> columns = new ArrayList<>();
  private final List<TopResult.Row> rows;
  private int next;

  TopRows(TopResult top) {
    top.columns().forEach(name -> columns.add(new Column(name, "VARCHAR", Kind.TEXT)));
    columns.add(new Column("volume", "HUGEINT", Kind.DECIMAL));
    columns.add(new Column("flows", "BIGINT", Kind.INTEGER));
    rows = top.rows();
  }

  @Override
  public List<Column> columns() {
    return columns;
  }

  @Override
  public boolean next() {
    return next++ < rows.size();
  }

  @Override
  public Object value(int column) {
    TopResult.Row row = rows.get(next - 1);
    int names = row.values().size();
    if (column < names) {
      return row.values().get(column);
    }
    return column == names ? WholeNumbers.of(row.volume()) : (Object) row.flows();
  }

  @Override
  public boolean truncated() {
    return false;
  }

  @Override
  public void close() {}
}
