package io.millrace.store.trino;

import io.millrace.store.Cancellation;
import io.millrace.store.ExportedRows;
import io.millrace.store.ExporterRow;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.ImportedRows;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.QueryShape;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultTable;
import io.millrace.store.RowEngine;
import io.millrace.store.SeriesResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.TopResult;
import io.millrace.store.TrinoConfig;
import io.millrace.store.iceberg.TableCatalog;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A store whose queries run on Trino and read the newest snapshot; everything else is delegated to
 * the store. Closing it closes the connection to Trino, not the store. Thread-safe.
 */
public final class TrinoStore implements Store {
  private final Store store;
  private final StoreConfig limits;
  private final TrinoConfig config;
  private final TrinoClient client;
  private final RowEngine engine = new Engine();

  /**
   * Creates the object.
   *
   * @param limits limits of queries, and the URL of Trino
   */
  public TrinoStore(Store store, StoreConfig limits) {
    this.store = store;
    this.limits = limits;
    config = limits.trino();
    client = new TrinoClient(config);
  }

  private final class Engine implements RowEngine {
    @Override
    public String name() {
      return "Trino";
    }

    @Override
    public String table(String name, long snapshot) {
      return named(name) + " FOR VERSION AS OF " + snapshot;
    }

    @Override
    public String names() {
      return named("names");
    }

    private String named(String table) {
      return "\"%s\".\"%s\".\"%s\""
          .formatted(config.catalog().replace("\"", "\"\""), TableCatalog.NAMESPACE, table);
    }

    @Override
    public QueryResult run(String sql, Duration limit, Cancellation cancellation) {
      return client.query(sql, limit, Long.MAX_VALUE, cancellation);
    }
  }

  @Override
  public QueryResult query(QueryRequest request, Cancellation cancellation) {
    return client
        .query(
            checked(request),
            limit(request),
            Math.min(request.rowLimit(), limits.queryRowLimit()),
            cancellation)
        .to(store.snapshotTo());
  }

  @Override
  public QueryShape describe(QueryRequest request) {
    try (TrinoRows columns = client.describe(checked(request), limit(request))) {
      return new QueryShape(columns.described(), List.of());
    }
  }

  private Duration limit(QueryRequest request) {
    Duration most = limits.queryTimeLimit();
    return request.timeLimit().compareTo(most) < 0 ? request.timeLimit() : most;
  }

  private static String checked(QueryRequest request) {
    if (!request.parameters().isEmpty()) {
      throw new QueryException(
          Reason.NOT_ALLOWED,
          "parameters are not supported with store.engine: trino; write the values into the query",
          QueryException.NO_POSITION);
    }
    return Statement.checked(request.sql());
  }

  @Override
  public TopResult top(FlowQuery request, Cancellation cancellation) {
    return store.top(request, engine, cancellation);
  }

  @Override
  public SeriesResult series(FlowQuery request, Cancellation cancellation) {
    return store.series(request, engine, cancellation);
  }

  @Override
  public TopResult top(FlowQuery request, RowEngine other, Cancellation cancellation) {
    return store.top(request, other, cancellation);
  }

  @Override
  public SeriesResult series(FlowQuery request, RowEngine other, Cancellation cancellation) {
    return store.series(request, other, cancellation);
  }

  @Override
  public Store embedded() {
    return store;
  }

  @Override
  public Optional<Instant> snapshotTo() {
    return store.snapshotTo();
  }

  @Override
  public Optional<Instant> rowsFrom() {
    return store.rowsFrom();
  }

  @Override
  public FlowTable table(String name, FlowSchema schema) {
    return store.table(name, schema);
  }

  @Override
  public ResultTable results(String name, TableSchema schema, List<String> key) {
    return store.results(name, schema, key);
  }

  @Override
  public void retain(String table, ResultRetention retention) {
    store.retain(table, retention);
  }

  @Override
  public void resultView(String name, String select) {
    store.resultView(name, select);
  }

  @Override
  public void exporters(List<ExporterRow> rows) {
    store.exporters(rows);
  }

  @Override
  public void drop(Collection<String> names) {
    store.drop(names);
  }

  @Override
  public List<String> tables() {
    return store.tables();
  }

  @Override
  public List<String> resultTables() {
    return store.resultTables();
  }

  @Override
  public ExportedRows exportRows(
      String table, Instant from, Instant to, Cancellation cancellation) {
    return store.exportRows(table, from, to, cancellation);
  }

  @Override
  public ImportedRows importRows(String table, InputStream parquet) throws IOException {
    return store.importRows(table, parquet);
  }

  @Override
  public boolean isOpen() {
    return store.isOpen();
  }

  @Override
  public Optional<String> problem() {
    return store.problem();
  }

  @Override
  public List<String> delays() {
    return store.delays();
  }

  @Override
  public Path backUp() {
    return store.backUp();
  }

  @Override
  public void dropBackup() {
    store.dropBackup();
  }

  @Override
  public long diskBytes() {
    return store.diskBytes();
  }

  @Override
  public void close() {
    client.close();
  }
}
