package io.millrace.store.duckdb;

import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.StoreConfig;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.duckdb.DuckDBConnection;

/**
 * Runs queries, each on a connection of its own in a read-only transaction, and ends those that
 * take too long.
 */
final class Queries {
  private final DuckDBConnection root;
  private final StoreConfig config;
  private final Sandbox sandbox;
  private final Rewriter rewriter;
  private final Set<DuckDbQueryResult> running = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "store-query-limit");
            thread.setDaemon(true);
            return thread;
          });
  private volatile boolean closed;

  Queries(
      DuckDBConnection root,
      StoreConfig config,
      Map<String, FlowView> views,
      Set<String> resultNames,
      Set<String> rollupViews) {
    this.root = root;
    this.config = config;
    sandbox = new Sandbox(views, resultNames, rollupViews);
    rewriter = new Rewriter(views);
  }

  /** Runs what a user wrote: checked, and rewritten where that is faster. */
  QueryResult run(QueryRequest request) {
    Duration limit = shorter(request.timeLimit(), config.queryTimeLimit());
    long rows = Math.min(Math.min(request.rowLimit(), config.queryRowLimit()), Long.MAX_VALUE - 1);
    DuckDbQueryResult result = open(limit, rows);
    try {
      Sandbox.Checked checked = sandbox.check(result.connection(), request.sql());
      boolean scan = request.scan() || !config.rollupQueries();
      Rewriter.Forms forms = rewriter.rewrite(result.connection(), checked, rows + 1, scan);
      if (!checked.prefix().isEmpty() && !forms.source().isEmpty()) {
        result.explain(forms.source());
      }
      result.start(forms.sql(), request.sql());
      return result;
    } catch (SQLException e) {
      result.close();
      throw DuckDbErrors.query(e, request.sql(), result.timedOut());
    } catch (RuntimeException e) {
      result.close();
      throw e;
    }
  }

  /** Writes a query from what the query's own transaction sees. */
  interface Composer {
    String sql(DuckDBConnection connection) throws SQLException;
  }

  /** Runs SQL of our own, as it is. */
  QueryResult trusted(Composer composer, Duration limit) {
    DuckDbQueryResult result = open(limit, Long.MAX_VALUE);
    String sql = "";
    try {
      sql = composer.sql(result.connection());
      result.start(List.of(sql), sql);
      return result;
    } catch (SQLException e) {
      result.close();
      throw DuckDbErrors.query(e, sql, result.timedOut());
    } catch (RuntimeException e) {
      result.close();
      throw e;
    }
  }

  private DuckDbQueryResult open(Duration limit, long rows) {
    if (closed) {
      throw new QueryException(Reason.CLOSED, "the store is closed", QueryException.NO_POSITION);
    }
    DuckDBConnection connection = null;
    try {
      connection = root.duplicate();
      try (Statement statement = connection.createStatement()) {
        statement.execute("USE " + Catalog.DATABASE);
        statement.execute("BEGIN TRANSACTION READ ONLY");
      }
      return new DuckDbQueryResult(connection, clock, running, limit, rows);
    } catch (SQLException e) {
      throw DuckDbErrors.query(e, "", false);
    }
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  void close() {
    closed = true;
    for (DuckDbQueryResult result : new ArrayList<>(running)) {
      result.interrupt();
    }
    clock.shutdownNow();
  }
}
