package io.millrace.server.api;

import io.millrace.store.Cancellation;
import io.millrace.store.ExportedRows;
import io.millrace.store.ExporterRow;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.ImportedRows;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.QueryShape;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultTable;
import io.millrace.store.RowEngine;
import io.millrace.store.SeriesResult;
import io.millrace.store.Store;
import io.millrace.store.TopResult;
import io.millrace.wire.block.TableSchema;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** A store without results, for tests that override one method. */
class UnaskedStore implements Store {
  @Override
  public void exporters(List<ExporterRow> rows) {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public QueryResult query(QueryRequest request, Cancellation cancellation) {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public QueryShape describe(QueryRequest request) {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public FlowTable table(String name, FlowSchema schema) {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public ResultTable results(String name, TableSchema schema, List<String> key) {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public void retain(String table, ResultRetention retention) {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public void resultView(String name, String select) {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public List<String> resultTables() {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public List<String> tables() {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public TopResult top(FlowQuery request, Cancellation cancellation) {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public void drop(Collection<String> names) {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public SeriesResult series(FlowQuery request, Cancellation cancellation) {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public TopResult top(FlowQuery request, RowEngine engine, Cancellation cancellation) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SeriesResult series(FlowQuery request, RowEngine engine, Cancellation cancellation) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<Instant> snapshotTo() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<Instant> rowsFrom() {
    return Optional.empty();
  }

  @Override
  public ExportedRows exportRows(
      String table, Instant from, Instant to, Cancellation cancellation) {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public ImportedRows importRows(String table, InputStream parquet) {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public Optional<String> problem() {
    return Optional.empty();
  }

  @Override
  public List<String> delays() {
    return List.of();
  }

  @Override
  public Path backUp() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void dropBackup() {
    throw new UnsupportedOperationException();
  }

  @Override
  public long diskBytes() {
    throw new UnsupportedOperationException("not asked for");
  }

  @Override
  public void close() {}
}
