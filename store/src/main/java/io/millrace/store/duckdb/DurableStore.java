package io.millrace.store.duckdb;

import io.millrace.pulse.Worker;
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
import io.millrace.store.StoreException;
import io.millrace.store.TopResult;
import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An embedded store that reopens itself after a failure of its disk.
 *
 * <p>If a commit finds the disk full, it fails, and the next may succeed. If a checkpoint fails
 * half-way, DuckDB invalidates the database until the file is reopened; what was committed is in
 * the file and its write-ahead log. This class then closes the store and tries every second to
 * reopen it. Until that succeeds, calls fail with the reason. Tables that were obtained before are
 * invalid afterwards: writers must open the table again, as a job does when it restarts.
 */
public final class DurableStore implements Store {
  private static final Logger LOG = LoggerFactory.getLogger(DurableStore.class);
  private static final long POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Supplier<DuckDbStore> opener;
  private final Worker watch;
  private volatile DuckDbStore store;
  private final Map<String, String> resultViews = new ConcurrentHashMap<>();
  private final Map<String, ResultRetention> retentions = new ConcurrentHashMap<>();
  private volatile String problem = "";

  /**
   * Opens the store.
   *
   * @param opener opens the same store each time
   * @throws StoreException if the opener fails
   */
  public DurableStore(Supplier<DuckDbStore> opener) {
    this(opener, POLL_NANOS);
  }

  DurableStore(Supplier<DuckDbStore> opener, long pollNanos) {
    this.opener = opener;
    store = opener.get();
    watch =
        new Worker(
            "store-watch",
            Duration.ZERO,
            own -> {
              while (own.pause(pollNanos)) {
                poll();
              }
            });
  }

  void poll() {
    DuckDbStore open = store;
    if (open != null) {
      Optional<String> failure = open.failure();
      if (failure.isEmpty()) {
        return;
      }
      problem = "the store was closed: " + failure.get();
      LOG.warn("{}; reopening as soon as possible", problem);
      store = null;
      try {
        open.close();
      } catch (StoreException e) {
        LOG.debug("closed after a failure", e);
      }
    }
    try {
      DuckDbStore again = opener.get();
      resultViews.forEach(again::resultView);
      retentions.forEach(again::retain);
      problem = "";
      store = again;
      LOG.warn("the store was reopened");
    } catch (StoreException e) {
      String now = e.getMessage();
      if (!now.equals(problem)) {
        LOG.warn("{}", now);
      }
      problem = now;
    }
  }

  @Override
  public boolean isOpen() {
    return store != null;
  }

  /** The store; null while it is closed. */
  DuckDbStore opened() {
    return store;
  }

  private DuckDbStore open() {
    DuckDbStore open = store;
    if (open == null) {
      throw new StoreException(problem, null);
    }
    return open;
  }

  private DuckDbStore openForQuery() {
    DuckDbStore open = store;
    if (open == null) {
      throw new QueryException(Reason.CLOSED, problem, QueryException.NO_POSITION);
    }
    return open;
  }

  @Override
  public FlowTable table(String name, FlowSchema schema) {
    return open().table(name, schema);
  }

  @Override
  public ResultTable results(String name, TableSchema schema, List<String> key) {
    return open().results(name, schema, key);
  }

  @Override
  public void retain(String table, ResultRetention retention) {
    open().retain(table, retention);
    retentions.put(table, retention);
  }

  @Override
  public void resultView(String name, String select) {
    open().resultView(name, select);
    resultViews.put(name, select);
  }

  @Override
  public void exporters(List<ExporterRow> rows) {
    open().exporters(rows);
  }

  @Override
  public void drop(Collection<String> names) {
    open().drop(names);
  }

  @Override
  public List<String> tables() {
    return open().tables();
  }

  @Override
  public List<String> resultTables() {
    return open().resultTables();
  }

  @Override
  public QueryResult query(QueryRequest request, Cancellation cancellation) {
    return openForQuery().query(request, cancellation);
  }

  @Override
  public QueryShape describe(QueryRequest request) {
    return openForQuery().describe(request);
  }

  @Override
  public TopResult top(FlowQuery request, Cancellation cancellation) {
    return openForQuery().top(request, cancellation);
  }

  @Override
  public SeriesResult series(FlowQuery request, Cancellation cancellation) {
    return openForQuery().series(request, cancellation);
  }

  @Override
  public TopResult top(FlowQuery request, RowEngine engine, Cancellation cancellation) {
    return openForQuery().top(request, engine, cancellation);
  }

  @Override
  public SeriesResult series(FlowQuery request, RowEngine engine, Cancellation cancellation) {
    return openForQuery().series(request, engine, cancellation);
  }

  @Override
  public Optional<Instant> snapshotTo() {
    return openForQuery().snapshotTo();
  }

  @Override
  public Optional<Instant> rowsFrom() {
    return open().rowsFrom();
  }

  @Override
  public ExportedRows exportRows(
      String table, Instant from, Instant to, Cancellation cancellation) {
    return open().exportRows(table, from, to, cancellation);
  }

  @Override
  public ImportedRows importRows(String table, InputStream parquet) throws IOException {
    return open().importRows(table, parquet);
  }

  @Override
  public Path backUp() {
    return open().backUp();
  }

  @Override
  public void dropBackup() {
    open().dropBackup();
  }

  @Override
  public long diskBytes() {
    return open().diskBytes();
  }

  @Override
  public Optional<String> problem() {
    DuckDbStore open = store;
    return open == null ? Optional.of(problem) : open.problem();
  }

  @Override
  public List<String> delays() {
    DuckDbStore open = store;
    return open == null ? List.of() : open.delays();
  }

  @Override
  public void close() {
    watch.close(); // first, since it may be reopening the store
    if (store != null) {
      store.close();
    }
  }
}
