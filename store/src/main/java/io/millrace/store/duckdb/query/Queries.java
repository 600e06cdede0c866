package io.millrace.store.duckdb.query;

import io.millrace.pulse.HostMemory;
import io.millrace.pulse.PeriodicTask;
import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.QueryShape;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.plan.RollupMemory;
import io.millrace.store.duckdb.rewrite.OffsetTimes;
import io.millrace.store.duckdb.rewrite.Rewriter;
import io.millrace.store.duckdb.sandbox.Parameters;
import io.millrace.store.duckdb.sandbox.Sandbox;
import io.millrace.store.duckdb.sandbox.TreeBounds;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.snapshot.StoredRows;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.Connections;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.duckdb.DuckDBConnection;

/**
 * Runs queries, each in a read-only transaction on its own connection. Cancels those that exceed
 * their time limit, or the memory or disk space of the process.
 */
public final class Queries implements AutoCloseable {
  private final DuckDBConnection root;
  private final StoreConfig config;
  private final Sandbox sandbox;
  private final Rewriter rewriter;
  private final CommitMemory commits;
  private final BooleanSupplier spillIsShort;
  private final BooleanSupplier isTailHeld;
  private final RowsView.Source viewSource;
  private final RollupMemory memory;

  private final Queue<DuckDBConnection> idle = new ConcurrentLinkedQueue<>();

  private final Map<QueryKey, CompletableFuture<Object>> inFlight = new ConcurrentHashMap<>();

  private final Set<DuckDbQueryResult> running = ConcurrentHashMap.newKeySet();

  private final ScheduledExecutorService clock =
      Executors.newScheduledThreadPool(
          2,
          task -> {
            Thread thread = new Thread(task, "store-query-limit");
            thread.setDaemon(true);
            return thread;
          });

  private volatile TableCalls calls = new TableCalls(Map.of());
  private volatile boolean closed;

  private static final long OTHER_BYTES = 640L << 20;

  private static final long STEP_BYTES = 512L << 20;

  private static final String MEMORY = "the process has reached its memory limit";
  private static final String DISK = "queries have spilled as much as the disk has room for";
  private static final String TAIL = "new rows need the memory of rows that it reads";

  /** Time that a cancelled query has to release its rows, before the next one is cancelled. */
  private static final long SHED_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final long POLL_MILLIS = 10;
  private static final Duration LONGEST_POLL = Duration.ofMinutes(1);
  private final PeriodicTask poller =
      new PeriodicTask("store-query-limit", LONGEST_POLL, this::poll);
  private final long maxBytes;

  /** When a query was last cancelled for the rows that it keeps in memory; of the poller. */
  private long tailShedNanos;

  /**
   * Starts to supervise queries.
   *
   * @param viewSource makes a connection see the current rows
   * @param spillIsShort whether spilled data of queries takes disk space that the store needs
   * @param isTailHeld whether queries keep too many rows in memory that are in files by now
   */
  public Queries(
      DuckDBConnection root,
      StoreConfig config,
      Map<String, FlowView> views,
      Set<String> resultNames,
      Set<String> rollupViews,
      CommitMemory commits,
      BooleanSupplier spillIsShort,
      BooleanSupplier isTailHeld,
      RowsView.Source viewSource) {
    this.root = root;
    this.viewSource = viewSource;
    this.spillIsShort = spillIsShort;
    this.isTailHeld = isTailHeld;
    this.commits = commits;
    this.config = config;
    memory = new RollupMemory();
    tailShedNanos = System.nanoTime() - SHED_NANOS;
    long host = HostMemory.bytes();
    maxBytes =
        Math.min(
            Runtime.getRuntime().maxMemory()
                + config.memoryBytes()
                + 2 * StoreConfig.tailBytes()
                + StoreConfig.encodingBytes()
                + OTHER_BYTES,
            host - Math.min(STEP_BYTES, host / 8));
    var unused =
        clock.scheduleWithFixedDelay(poller, POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS);
    sandbox = new Sandbox(views, resultNames, rollupViews);
    rewriter = new Rewriter(views, memory);
  }

  private void poll() {
    if (running.isEmpty()) {
      return;
    }
    running.forEach(DuckDbQueryResult::lowerPriority);
    running.forEach(DuckDbQueryResult::interruptIfEnded);
    long resident = ResidentMemory.bytes();
    if (resident > maxBytes) {
      running.stream()
          .filter(query -> query.hasGrown(resident))
          .max(Comparator.comparingLong(DuckDbQueryResult::startNanos))
          .ifPresent(query -> query.shed(MEMORY));
    }
    if (spillIsShort.getAsBoolean()) {
      running.stream()
          .filter(query -> !query.isShed())
          .max(Comparator.comparingLong(DuckDbQueryResult::startNanos))
          .ifPresent(query -> query.shed(DISK));
    }
    long now = System.nanoTime();
    if (now - tailShedNanos > SHED_NANOS && isTailHeld.getAsBoolean()) {
      tailShedNanos = now;
      running.stream() // the oldest keeps most rows
          .filter(query -> !query.isShed())
          .min(Comparator.comparingLong(DuckDbQueryResult::startNanos))
          .ifPresent(query -> query.shed(TAIL));
    }
    if (commits.isShort()) {
      List<DuckDbQueryResult> grown =
          running.stream().filter(query -> query.hasGrown(resident)).toList();
      (grown.isEmpty() ? running : grown).forEach(query -> query.shed(MEMORY));
    }
  }

  /** Scheduler of timeouts. */
  public ScheduledExecutorService clock() {
    return clock;
  }

  /** Sets Millrace's table functions. */
  public void setFunctions(TableCalls functions) {
    calls = functions;
  }

  /** Facts about rollups that all queries share. */
  public RollupMemory memory() {
    return memory;
  }

  /** Runs a user's query: checks it, and rewrites it if that is faster. */
  public QueryResult run(QueryRequest request, Cancellation cancellation) {
    TreeBounds.checkText(request.sql());
    String sql = ColumnFamilies.removed(request.sql());
    DuckDbQueryResult result = open(limit(request), rowLimit(request), cancellation, false);
    try {
      sql = Parameters.bind(result.connection(), sql, request.parameters());
      Sandbox.CheckedQuery checked = checked(result.connection(), sql, cancellation);
      Rewriter.Forms forms = forms(result, checked, request);
      if (!checked.prefix().isEmpty() && !forms.source().isEmpty()) {
        result.explain(forms.source());
      }
      result.start(forms, sql, request.lists());
      return result;
    } catch (SQLException e) {
      result.close();
      throw result.failure(e, sql);
    } catch (RuntimeException e) {
      result.close();
      throw e;
    }
  }

  /** Columns and parameters of a query; parameters without values count as NULL. */
  public QueryShape describe(QueryRequest request) {
    TreeBounds.checkText(request.sql());
    String sql = ColumnFamilies.removed(request.sql());
    try (DuckDbQueryResult result =
        open(limit(request), rowLimit(request), new Cancellation(), false)) {
      try {
        DuckDBConnection connection = result.connection();
        List<String> values = request.parameters();
        List<QueryResult.Column> parameters = List.of();
        if (values.isEmpty()) {
          int count = Parameters.count(connection, sql);
          parameters = count == 0 ? List.of() : parameters(connection, sql, count);
          values = Collections.nCopies(count, "NULL");
        }
        sql = Parameters.bind(connection, sql, values);
        Sandbox.CheckedQuery checked = checked(connection, sql, new Cancellation());
        return new QueryShape(
            result.columns(forms(result, checked, request).sql(), sql), parameters);
      } catch (SQLException e) {
        throw result.failure(e, sql);
      }
    }
  }

  private Sandbox.CheckedQuery checked(
      DuckDBConnection connection, String sql, Cancellation cancellation) throws SQLException {
    Sandbox.CheckedQuery query =
        calls.expand(connection, sandbox.check(connection, sql), cancellation);
    if (!OffsetTimes.areIn(query)) {
      return query;
    }
    try (DuckDbQueryResult trying = open(config.queryTimeLimit(), 1, new Cancellation(), true)) {
      return OffsetTimes.inUtc(connection, trying.connection(), query);
    }
  }

  private Rewriter.Forms forms(
      DuckDbQueryResult result, Sandbox.CheckedQuery checked, QueryRequest request)
      throws SQLException {
    boolean scan = request.scan() || !config.rollupQueries();
    return rewriter.rewrite(result.transaction(), checked, rowLimit(request) + 1, scan);
  }

  private List<QueryResult.Column> parameters(DuckDBConnection connection, String sql, int count)
      throws SQLException {
    sandbox.check(connection, sql);
    List<QueryResult.Column> parameters = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      ParameterMetaData types = statement.getParameterMetaData();
      for (int i = 1; i <= count; i++) {
        parameters.add(DuckDbQueryResult.column("$" + i, types.getParameterTypeName(i)));
      }
    } catch (SQLException e) {
      parameters.clear();
      for (int i = 1; i <= count; i++) {
        parameters.add(DuckDbQueryResult.column("$" + i, "UNKNOWN"));
      }
    }
    return parameters;
  }

  private Duration limit(QueryRequest request) {
    return shorter(request.timeLimit(), config.queryTimeLimit());
  }

  private long rowLimit(QueryRequest request) {
    return Math.min(Math.min(request.rowLimit(), config.queryRowLimit()), Long.MAX_VALUE - 1);
  }

  /** Key of an internal query: concurrent queries with equal keys share a result. */
  public record QueryKey(Object query, StoredRows rows) {}

  /** An internal query. */
  public interface SharedQuery<T> {
    /** Plans the query from what the transaction sees. */
    QueryKey prepare(ReadTransaction transaction) throws SQLException;

    /**
     * Runs the query in the same transaction; not called if another caller has the result.
     *
     * @param running runs one SQL query at a time, which discards the rows of the previous one
     */
    T execute(ReadTransaction transaction, RunningQuery running) throws SQLException;
  }

  /** Runs internal SQL unchanged, under the limits of a query. */
  public interface RunningQuery {
    QueryResult run(String sql) throws SQLException;
  }

  /**
   * Runs an internal query once for all concurrent equal ones, such as those of the viewers of a
   * dashboard. If the caller that runs it fails, the others run it themselves.
   */
  @SuppressWarnings("unchecked") // equal queries have results of one type
  public <T> T shared(SharedQuery<T> query, Duration limit, Cancellation cancellation) {
    DuckDbQueryResult result = open(limit, Long.MAX_VALUE, cancellation, true);
    try {
      QueryKey key = query.prepare(result.transaction());
      CompletableFuture<Object> mine = new CompletableFuture<>();
      CompletableFuture<Object> others = inFlight.putIfAbsent(key, mine);
      if (others != null) {
        Object answer = await(others, limit, result);
        return answer == null ? execute(result, query) : (T) answer;
      }
      try {
        T computed = execute(result, query);
        mine.complete(computed);
        return computed;
      } finally {
        inFlight.remove(key, mine);
        mine.complete(null); // null after a failure
      }
    } catch (SQLException e) {
      throw result.failure(e, "");
    } finally {
      result.close();
    }
  }

  private static <T> T execute(DuckDbQueryResult result, SharedQuery<T> query) throws SQLException {
    result.failIfEnded();
    return query.execute(
        result.transaction(),
        sql -> {
          result.start(sql);
          return result;
        });
  }

  /**
   * Waits for another caller's result. Null if there is none in time or this caller is cancelled;
   * then the caller must run the query itself, if it still may.
   */
  private static Object await(
      CompletableFuture<Object> others, Duration limit, DuckDbQueryResult waiting) {
    CompletableFuture<Object> answer = others.copy();
    waiting.onCancel(() -> answer.complete(null));
    try {
      return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } catch (ExecutionException | TimeoutException e) {
      return null;
    } finally {
      waiting.onCancel(waiting::interrupt);
    }
  }

  private DuckDbQueryResult open(
      Duration limit, long rows, Cancellation cancellation, boolean isInternal) {
    if (closed) {
      throw closed();
    }
    DuckDBConnection connection = isInternal ? idle.poll() : null;
    RowsView shown = null;
    try {
      boolean isNew = connection == null;
      if (isNew) {
        connection = Connections.another(root);
      }
      ReadTransaction transaction;
      try (Statement statement = connection.createStatement()) {
        if (isNew) {
          statement.execute("USE " + Catalog.DATABASE);
        }
        shown = viewSource.show(connection);
        statement.execute("BEGIN TRANSACTION READ ONLY");
        transaction = new ReadTransaction(connection, shown);
      }
      DuckDbQueryResult result =
          new DuckDbQueryResult(
              transaction,
              clock,
              running,
              limit,
              rows,
              cancellation,
              isInternal ? this::giveBack : null);
      if (closed) {
        result.endForClose(); // close() may not have seen it
      }
      return result;
    } catch (SQLException e) {
      close(shown, connection);
      throw closed ? closed() : DuckDbErrors.query(e, "", false);
    } catch (RejectedExecutionException e) { // by the clock
      close(shown, connection);
      throw closed();
    }
  }

  private static void close(RowsView shown, DuckDBConnection connection) {
    if (shown != null) {
      shown.close();
    }
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      // Nobody uses it; closing the store closes the rest.
      return;
    }
  }

  static QueryException closed() {
    return new QueryException(Reason.CLOSED, "the store is closed", QueryException.NO_POSITION);
  }

  private void giveBack(DuckDBConnection connection) {
    idle.add(connection);
    if (closed) {
      closeIdle();
    }
  }

  private void closeIdle() {
    for (DuckDBConnection one = idle.poll(); one != null; one = idle.poll()) {
      try {
        one.close();
      } catch (SQLException e) {
        throw DuckDbErrors.query(e, "", false);
      }
    }
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** Whether no query is running. */
  public boolean isIdle() {
    return running.isEmpty();
  }

  @Override
  public void close() {
    closed = true;
    for (DuckDbQueryResult result : new ArrayList<>(running)) {
      result.endForClose();
    }
    clock.shutdownNow();
    poller.close();
    closeIdle();
  }
}
