package io.millrace.store.duckdb.query;

import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.QueryResult;
import io.millrace.store.duckdb.rewrite.Rewriter;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.duckdb.sql.Ast;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBPreparedStatement;
import org.duckdb.Interruption;

/** A running query with its connection and timeout. */
final class DuckDbQueryResult implements QueryResult {
  private static final long GROWTH_BYTES = 64 << 20;

  private static final long LONG_NANOS = 100_000_000;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final ReadTransaction transaction;
  private final DuckDBConnection connection;
  private final Set<DuckDbQueryResult> running;
  private final ScheduledFuture<?> timeout;
  private final long rowLimit;

  /** Maximum characters of a list that is returned as Java objects. */
  private static final int MAX_LIST = 8_192;

  private final Cancellation cancellation;
  private final Consumer<DuckDBConnection> idle;
  private volatile Statement statement;

  private final Thread thread = Thread.currentThread();

  private final int priority = thread.getPriority();
  private boolean isRunning = true; // guarded by this
  private final long cpuAtStart = cpuNanos();
  private final long startNanos = System.nanoTime();
  private final long residentAtStart = ResidentMemory.bytes();
  private volatile boolean timedOut;
  private volatile String shedReason; // null unless cancelled to relieve the process
  private volatile boolean isStoreClosed;
  private String sql = "";
  private ResultSet rows;
  private List<Column> columns = List.of();
  private List<ExactValues> exact = List.of();
  private long given;
  private String source = "";
  private boolean showsSource;
  private boolean truncated;

  DuckDbQueryResult(
      ReadTransaction transaction,
      ScheduledExecutorService clock,
      Set<DuckDbQueryResult> running,
      Duration limit,
      long rowLimit,
      Cancellation cancellation,
      Consumer<DuckDBConnection> idle) {
    this.idle = idle;
    this.transaction = transaction;
    connection = transaction.connection();
    this.running = running;
    this.rowLimit = rowLimit;
    this.cancellation = cancellation;
    timeout =
        clock.schedule(
            () -> {
              timedOut = true;
              interrupt();
            },
            limit.toNanos(),
            TimeUnit.NANOSECONDS);
    running.add(this);
    onCancel(this::interrupt);
    transaction.rows().endWhen(this::isEnded);
  }

  void onCancel(Runnable interrupt) {
    cancellation.onCancel(interrupt);
  }

  ReadTransaction transaction() {
    return transaction;
  }

  DuckDBConnection connection() {
    return connection;
  }

  long startNanos() {
    return startNanos;
  }

  boolean hasGrown(long resident) {
    return !isShed() && resident - residentAtStart > GROWTH_BYTES;
  }

  @SuppressWarnings("ThreadPriorityCheck") // a hint that lets rows be stored sooner
  synchronized void lowerPriority() {
    if (isRunning
        && thread.getPriority() > Thread.MIN_PRIORITY
        && cpuNanos() - cpuAtStart > LONG_NANOS) {
      thread.setPriority(Thread.MIN_PRIORITY);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // as above
  private synchronized void restorePriority() {
    isRunning = false;
    thread.setPriority(priority);
  }

  private long cpuNanos() {
    return THREADS.getThreadCpuTime(thread.getId());
  }

  boolean isShed() {
    return shedReason != null;
  }

  void shed(String why) {
    shedReason = why;
    interrupt();
  }

  void endForClose() {
    isStoreClosed = true;
    interrupt();
  }

  QueryException failure(SQLException e, String original) {
    if (isStoreClosed) {
      return Queries.closed();
    }
    if (isShed()) {
      return new QueryException(
          Reason.BUSY,
          "the query was cancelled because "
              + shedReason
              + ": query less at once, or retry later; see store.memory",
          QueryException.NO_POSITION);
    }
    return cancellation.isCancelled()
        ? new QueryException(
            Reason.CANCELLED, "the query was cancelled", QueryException.NO_POSITION)
        : DuckDbErrors.query(e, original, timedOut);
  }

  private boolean isEnded() {
    return timedOut || isShed() || isStoreClosed || cancellation.isCancelled();
  }

  void failIfEnded() throws SQLException {
    if (isEnded()) {
      throw new SQLException("interrupted");
    }
  }

  /** Runs internal SQL, for which the view of rows has read its files. */
  void start(String internal) throws SQLException {
    start(List.of(internal), any -> {}, internal, false);
  }

  /**
   * Runs the first form of a query that DuckDB accepts.
   *
   * @param lists whether lists stay lists in the result
   */
  void start(Rewriter.Forms forms, String original, boolean lists) throws SQLException {
    start(forms.sql(), any -> forms.read(any, transaction.rows()), original, lists);
  }

  @FunctionalInterface
  private interface Preparation {
    void before(int form) throws SQLException;
  }

  private void start(
      List<String> candidates, Preparation preparation, String original, boolean lists)
      throws SQLException {
    if (statement != null) {
      statement.close();
    }
    sql = original;
    int last = candidates.size() - 1;
    for (int i = 0; ; i++) {
      PreparedStatement running = null;
      String form = candidates.get(i);
      try {
        failIfEnded();
        preparation.before(i);
        running = connection.prepareStatement(form);
        columns = columns(running.getMetaData());
        form = withTexts(form, columns, lists);
        if (!form.equals(candidates.get(i))) {
          running.close();
          running = connection.prepareStatement(form);
        }
        statement = running;
        failIfEnded();
        rows = running.executeQuery();
        exact = columns.stream().map(column -> ExactValues.of(column.sqlType())).toList();
        return;
      } catch (SQLException e) {
        if (running != null) {
          running.close();
        }
        if (isEnded() || (i == last && !isLost(e))) {
          throw e;
        }
        restartTransaction(); // the error has aborted it
        if (i == last) {
          throw realCause(form, e);
        }
        if (isLost(e)) {
          i = last - 1; // the other forms were planned in the old transaction
        }
      }
    }
  }

  /**
   * The query with structs, maps and lists cast to text, as results show them. Otherwise the driver
   * creates an object for each element of 2,048 rows at once, which is gigabytes for long lists; so
   * lists that stay lists have a maximum length.
   */
  private String withTexts(String query, List<Column> columns, boolean lists) throws SQLException {
    StringBuilder select = new StringBuilder("SELECT ");
    boolean isChanged = false;
    for (int i = 0; i < columns.size(); i++) {
      String value = "#" + (i + 1);
      String type = columns.get(i).sqlType();
      String shown = value;
      if (ExactValues.isNested(type) || (ExactValues.isList(type) && !lists)) {
        shown = "CAST(" + value + " AS VARCHAR)";
      } else if (ExactValues.isList(type)) {
        shown =
            "CASE WHEN len(%1$s::VARCHAR) > %2$d THEN error('list of more than %2$d characters; request JSON or CSV, or its elements with unnest') ELSE %1$s END"
                .formatted(value, MAX_LIST);
      }
      isChanged |= !shown.equals(value);
      select.append(i > 0 ? ", " : "").append(shown);
    }
    if (!isChanged) {
      return query;
    }
    String one =
        query.indexOf(';') < 0 ? query : Ast.toSql(connection, Ast.parse(connection, query));
    return select.append(" FROM (").append(one).append("\n)").toString();
  }

  private static boolean isLost(SQLException e) {
    return String.valueOf(e.getMessage()).contains("Invalid result set");
  }

  private void restartTransaction() throws SQLException {
    try (Statement anew = connection.createStatement()) {
      anew.execute("ROLLBACK");
      anew.execute("BEGIN TRANSACTION READ ONLY");
    }
  }

  private SQLException realCause(String query, SQLException lost) {
    try (DuckDBPreparedStatement again =
        connection.prepareStatement(query).unwrap(DuckDBPreparedStatement.class)) {
      statement = again;
      if (!isEnded()) {
        again.query().close();
      }
      return lost;
    } catch (SQLException e) {
      return e;
    }
  }

  List<Column> columns(List<String> candidates, String original) throws SQLException {
    sql = original;
    for (int i = 0; ; i++) {
      try (PreparedStatement prepared = connection.prepareStatement(candidates.get(i))) {
        return columns(prepared.getMetaData());
      } catch (SQLException e) {
        if (i == candidates.size() - 1 || isEnded()) {
          throw e;
        }
      }
    }
  }

  private static List<Column> columns(ResultSetMetaData meta) throws SQLException {
    List<Column> columns = new ArrayList<>();
    for (int i = 1; i <= meta.getColumnCount(); i++) {
      String type = meta.getColumnTypeName(i);
      columns.add(column(meta.getColumnName(i), type));
    }
    return List.copyOf(columns);
  }

  static Column column(String name, String type) {
    return new Column(name, type, kind(type));
  }

  private static Kind kind(String type) {
    return switch (type) {
      case "BOOLEAN" -> Kind.BOOLEAN;
      case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER" ->
          Kind.INTEGER;
      case "FLOAT", "DOUBLE" -> Kind.REAL;
      case "UBIGINT", "HUGEINT", "UHUGEINT" -> Kind.DECIMAL;
      default -> type.startsWith("DECIMAL") ? Kind.DECIMAL : Kind.TEXT;
    };
  }

  @Override
  public List<Column> columns() {
    return columns;
  }

  void explain(String from) {
    source = from;
  }

  @Override
  public boolean next() {
    boolean isFirst = !source.isEmpty() && !showsSource;
    if (isFirst) {
      showsSource = true;
      return true;
    }
    if (showsSource) {
      showsSource = false;
      source = "";
    }
    try {
      failIfEnded(); // DuckDB ignores a cancel between two blocks of rows
      if (!rows.next()) {
        return false;
      }
    } catch (SQLException e) {
      throw failure(e, sql);
    }
    if (given == rowLimit) {
      truncated = true;
      return false;
    }
    given++;
    return true;
  }

  @Override
  public Object value(int column) {
    if (showsSource) {
      return column == 0 ? "answered_from" : source;
    }
    try {
      Object value =
          switch (columns.get(column).kind()) {
            case BOOLEAN -> rows.getBoolean(column + 1);
            case INTEGER -> rows.getLong(column + 1);
            case REAL -> rows.getDouble(column + 1);
            case DECIMAL -> decimal(rows.getObject(column + 1));
            case TEXT -> ExactValues.text(columns.get(column).sqlType(), rows, column + 1);
          };
      return rows.wasNull() ? null : value;
    } catch (SQLException e) {
      throw failure(e, sql);
    }
  }

  @Override
  public Object exact(int column) {
    if (showsSource || columns.get(column).kind() != Kind.TEXT) {
      return value(column);
    }
    try {
      return exact.get(column).read(rows, column + 1);
    } catch (SQLException e) {
      throw failure(e, sql);
    }
  }

  private static Object decimal(Object value) {
    return value == null || value instanceof BigDecimal || value instanceof java.math.BigInteger
        ? value
        : new BigDecimal(value.toString());
  }

  @Override
  public boolean truncated() {
    return truncated;
  }

  /** Interrupts any statement of the connection, such as those that read cached buckets. */
  void interrupt() {
    try {
      Interruption.of(connection);
    } catch (SQLException e) {
      return; // it has just been closed
    }
  }

  /** Interrupts again: an interruption between two statements does not end the second one. */
  void interruptIfEnded() {
    if (isEnded()) {
      interrupt();
    }
  }

  private void giveBack() throws SQLException {
    boolean isRolledBack = false;
    try {
      if (statement != null) {
        statement.close();
      }
      try (Statement end = connection.createStatement()) {
        end.execute("ROLLBACK");
      }
      isRolledBack = true;
    } finally {
      if (isRolledBack) {
        idle.accept(connection);
      } else {
        connection.close();
      }
    }
  }

  @Override
  public void close() {
    onCancel(() -> {});
    // The timeout or a cancellation may be about to interrupt the connection.
    boolean isReusable =
        timeout.cancel(false) && !isShed() && !isStoreClosed && !cancellation.isCancelled();
    if (running.remove(this)) {
      restorePriority();
      try {
        if (idle != null && isReusable) {
          giveBack();
        } else {
          connection.close();
        }
      } catch (SQLException e) {
        throw failure(e, sql);
      } finally {
        transaction.rows().close();
      }
    }
  }
}
