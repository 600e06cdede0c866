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
 * Runs queries, each in a read-only transaction on a connection of its own, and ends those that
 * take too long.
 */
public final class Queries implements AutoCloseable {
  private final DuckDBConnection root;
  private final StoreConfig config;
  private final Sandbox sandbox;
  private final Rewriter rewriter;
  private final CommitMemory commits;
  private final BooleanSupplier spillIsShort;
  private final RowsView.Source showing;
  private final RollupMemory memory;

  private final Queue<DuckDBConnection> idle = new ConcurrentLinkedQueue<>();

  private final Map<SharedAnswer, CompletableFuture<Object>> answering = new ConcurrentHashMap<>();

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

  private static final String MEMORY = "this process has as much memory as it may";
  private static final String DISK = "queries have written out what the disk has room for";
  private static final long LOOK_MILLIS = 10;
  private static final Duration LONGEST_LOOK = Duration.ofMinutes(1);
  private final PeriodicTask look = new PeriodicTask("store-query-limit", LONGEST_LOOK, this::look);
  private final long mostBytes;

  /**
   * Begins to supervise queries.
   *
   * @param showing makes a connection see the rows as they are
   * @param spillIsShort whether what they write out takes the disk that the store needs
   */
  public Queries(
      DuckDBConnection root,
      StoreConfig config,
      Map<String, FlowView> views,
      Set<String> resultNames,
      Set<String> rollupViews,
      CommitMemory commits,
      BooleanSupplier spillIsShort,
      RowsView.Source showing) {
    this.root = root;
    this.showing = showing;
    this.spillIsShort = spillIsShort;
    this.commits = commits;
    this.config = config;
    memory = new RollupMemory();
    long host = HostMemory.bytes();
    mostBytes =
        Math.min(
            Runtime.getRuntime().maxMemory()
                + config.memoryBytes()
                + 2 * StoreConfig.tailBytes()
                + StoreConfig.encodingBytes()
                + OTHER_BYTES,
            host - Math.min(STEP_BYTES, host / 8));
    var unused =
        clock.scheduleWithFixedDelay(look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    sandbox = new Sandbox(views, resultNames, rollupViews);
    rewriter = new Rewriter(views, memory);
  }

  private void look() {
    if (running.isEmpty()) {
      return;
    }
    running.forEach(DuckDbQueryResult::makeWay);
    long resident = ResidentMemory.bytes();
    if (resident > mostBytes) {
      running.stream()
          .filter(query -> query.hasGrown(resident))
          .max(Comparator.comparingLong(DuckDbQueryResult::startNanos))
          .ifPresent(query -> query.crowdOut(MEMORY));
    }
    if (spillIsShort.getAsBoolean()) {
      running.stream()
          .filter(query -> !query.isCrowdedOut())
          .max(Comparator.comparingLong(DuckDbQueryResult::startNanos))
          .ifPresent(query -> query.crowdOut(DISK));
    }
    if (commits.isShort()) {
      List<DuckDbQueryResult> grown =
          running.stream().filter(query -> query.hasGrown(resident)).toList();
      (grown.isEmpty() ? running : grown).forEach(query -> query.crowdOut(MEMORY));
    }
  }

  /** Ends what takes too long. */
  public ScheduledExecutorService clock() {
    return clock;
  }

  /** Sets what answers calls of table functions of our own. */
  public void answering(TableCalls functions) {
    calls = functions;
  }

  /** What is known of rollups, by all queries together. */
  public RollupMemory memory() {
    return memory;
  }

  /** Runs what a user wrote: checked, and rewritten where that is faster. */
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

  /** What a query would give; parameters without values count as NULL. */
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
        calls.answered(connection, sandbox.check(connection, sql), cancellation);
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

  /** A query and its transaction's snapshot: equal ones share a result. */
  public record SharedAnswer(Object question, StoredRows rows) {}

  /** An internal query. */
  public interface Question<T> {
    /** The query, from what the transaction sees. */
    SharedAnswer compose(ReadTransaction transaction) throws SQLException;

    /**
     * The answer, from the same transaction; not called where another has it.
     *
     * @param running runs one query at a time: the rows of the one before are gone, and in the end
     *     those of the last
     */
    T answer(ReadTransaction transaction, RunningQuery running) throws SQLException;
  }

  /** Runs SQL of our own, as it is, under the limits of a query. */
  public interface RunningQuery {
    QueryResult run(String sql) throws SQLException;
  }

  /**
   * Runs an internal query, once for all concurrent equal ones, as of the viewers of a dashboard
   * do. Where the one who answers for all gives up, the others ask themselves.
   */
  @SuppressWarnings("unchecked") // equal queries have results of one type
  public <T> T shared(Question<T> asking, Duration limit, Cancellation cancellation) {
    DuckDbQueryResult result = open(limit, Long.MAX_VALUE, cancellation, true);
    try {
      SharedAnswer asked = asking.compose(result.transaction());
      CompletableFuture<Object> mine = new CompletableFuture<>();
      CompletableFuture<Object> others = answering.putIfAbsent(asked, mine);
      if (others != null) {
        Object answer = await(others, limit, result);
        return answer == null ? answer(result, asking) : (T) answer;
      }
      try {
        T answer = answer(result, asking);
        mine.complete(answer);
        return answer;
      } finally {
        answering.remove(asked, mine);
        mine.complete(null); // nothing, where it has failed
      }
    } catch (SQLException e) {
      throw result.failure(e, "");
    } finally {
      result.close();
    }
  }

  private static <T> T answer(DuckDbQueryResult result, Question<T> asking) throws SQLException {
    result.requireWanted();
    return asking.answer(
        result.transaction(),
        sql -> {
          result.start(sql);
          return result;
        });
  }

  /**
   * Another's answer; null if there is none in time, or it is not waited for any more: then one has
   * to ask oneself, if one still may.
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
      Duration limit, long rows, Cancellation cancellation, boolean isOurs) {
    if (closed) {
      throw closed();
    }
    DuckDBConnection connection = isOurs ? idle.poll() : null;
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
        shown = showing.show(connection);
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
              isOurs ? this::giveBack : null);
      if (closed) {
        result.giveUp(); // who closes may not have seen it
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
      // Of no use to anybody; the store's end closes what is left.
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
      result.giveUp();
    }
    clock.shutdownNow();
    look.close();
    closeIdle();
  }
}
