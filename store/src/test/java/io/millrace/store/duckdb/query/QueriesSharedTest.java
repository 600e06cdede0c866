package io.millrace.store.duckdb.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.QueryResult;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.duckdb.snapshot.StoredRows;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Concurrent equal queries share one result. */
class QueriesSharedTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private RolledFlows flows;

  @BeforeEach
  void open() throws SQLException {
    flows = new RolledFlows(5, 30, false);
  }

  @AfterEach
  void close() throws SQLException {
    threads.shutdownNow();
    flows.close();
  }

  private static Queries.SharedQuery<Long> query(
      String sql, long version, Function<QueryResult, Long> reading) {
    return query(sql, version, reading, () -> {});
  }

  private static Queries.SharedQuery<Long> query(
      String sql, long version, Function<QueryResult, Long> reading, Runnable preparing) {
    return new Queries.SharedQuery<>() {
      @Override
      public Queries.QueryKey prepare(ReadTransaction transaction) {
        preparing.run();
        return new Queries.QueryKey(sql, new StoredRows(version, Map.of(), Long.MIN_VALUE));
      }

      @Override
      public Long execute(ReadTransaction transaction, Queries.RunningQuery running)
          throws SQLException {
        return reading.apply(running.run(sql));
      }
    };
  }

  private static long number(QueryResult result) {
    assertThat(result.next()).isTrue();
    return (Long) result.value(0);
  }

  /** Facts and cached buckets are read by statements of their own, one after the other. */
  @Test
  void theTimeLimitEndsAllStatementsOfTheConnection() {
    Queries.SharedQuery<Long> reading =
        new Queries.SharedQuery<>() {
          @Override
          public Queries.QueryKey prepare(ReadTransaction transaction) {
            return new Queries.QueryKey("long", new StoredRows(1, Map.of(), Long.MIN_VALUE));
          }

          @Override
          public Long execute(ReadTransaction transaction, Queries.RunningQuery running)
              throws SQLException {
            long sum = 0;
            for (int i = 0; i < 1_000_000; i++) {
              sum += SqlRows.number(transaction.connection(), "SELECT 1");
            }
            return sum
                + SqlRows.number(
                    transaction.connection(), "SELECT sum(hash(range)) FROM range(1000000000000)");
          }
        };
    assertThatThrownBy(
            () -> flows.queries.shared(reading, Duration.ofMillis(200), new Cancellation()))
        .isInstanceOf(QueryException.class)
        .extracting(e -> ((QueryException) e).reason())
        .isEqualTo(QueryException.Reason.TIMEOUT);
  }

  @Test
  void concurrentEqualQueriesShareTheResultOfTheFirst() throws Exception {
    CountDownLatch isReading = new CountDownLatch(1);
    CountDownLatch mayRead = new CountDownLatch(1);
    AtomicInteger readings = new AtomicInteger();
    Future<Long> first =
        threads.submit(
            () ->
                flows.queries.shared(
                    query(
                        "SELECT 7",
                        1,
                        result -> {
                          readings.incrementAndGet();
                          isReading.countDown();
                          await(mayRead);
                          return number(result);
                        }),
                    LIMIT,
                    new Cancellation()));
    await(isReading);
    assertThat(shared("SELECT 7", 2, readings)).isEqualTo(7); // another version: runs itself
    assertThat(readings).hasValue(2);
    AtomicLong answer = new AtomicLong();
    Thread second = new Thread(() -> answer.set(shared("SELECT 7", 1, readings)));
    second.start();
    while (second.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    mayRead.countDown();
    second.join();
    assertThat(first.get()).isEqualTo(7);
    assertThat(answer).hasValue(7);
    assertThat(readings).hasValue(2);
  }

  @Test
  void aWaitingQueryRunsItselfIfTheFirstFails() throws Exception {
    CountDownLatch isReading = new CountDownLatch(1);
    CountDownLatch mayFail = new CountDownLatch(1);
    Future<Long> first =
        threads.submit(
            () ->
                flows.queries.shared(
                    query(
                        "SELECT 8",
                        1,
                        result -> {
                          isReading.countDown();
                          await(mayFail);
                          throw new IllegalStateException("no");
                        }),
                    LIMIT,
                    new Cancellation()));
    await(isReading);
    Future<Long> second =
        threads.submit(
            () ->
                flows.queries.shared(
                    query("SELECT 8", 1, QueriesSharedTest::number, mayFail::countDown),
                    LIMIT,
                    new Cancellation()));
    assertThat(second.get()).isEqualTo(8);
    assertThatThrownBy(first::get).hasRootCauseMessage("no");
  }

  @Test
  void aWaitingQueryRunsItselfIfTheFirstIsCancelled() throws Exception {
    Cancellation leaving = new Cancellation();
    Future<Long> first = running(leaving);
    Future<Long> second = waiting("SELECT 11", new Cancellation());
    leaving.cancel();
    assertThat(second.get()).isEqualTo(11);
    assertThat(reason(first)).isEqualTo(Reason.CANCELLED);
    assertThat(shared("SELECT 12", 1, new AtomicInteger())).isEqualTo(12);
  }

  @Test
  void aWaitingQueryIsCancelledWithoutTheFirst() throws Exception {
    Cancellation staying = new Cancellation();
    Cancellation leaving = new Cancellation();
    Future<Long> first = running(staying);
    Future<Long> second = waiting("SELECT 13", leaving);
    leaving.cancel();
    assertThat(reason(second)).isEqualTo(Reason.CANCELLED);
    assertThat(first).isNotDone();
    staying.cancel();
    assertThat(reason(first)).isEqualTo(Reason.CANCELLED);
  }

  /** Equal queries, each with its own SQL. */
  private record Same(String sql, Runnable started) implements Queries.SharedQuery<Long> {
    @Override
    public Queries.QueryKey prepare(ReadTransaction transaction) {
      return new Queries.QueryKey("the same", new StoredRows(1, Map.of(), Long.MIN_VALUE));
    }

    @Override
    public Long execute(ReadTransaction transaction, Queries.RunningQuery running)
        throws SQLException {
      started.run();
      return number(running.run(sql));
    }
  }

  /** Starts a query that runs for hours. */
  private Future<Long> running(Cancellation cancellation) {
    CountDownLatch isRunning = new CountDownLatch(1);
    Same hours =
        new Same(
            "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c",
            isRunning::countDown);
    Future<Long> answer =
        threads.submit(() -> flows.queries.shared(hours, Duration.ofHours(1), cancellation));
    await(isRunning);
    return answer;
  }

  /** Starts a query that waits for the running one. */
  private Future<Long> waiting(String sql, Cancellation cancellation) {
    AtomicReference<Thread> thread = new AtomicReference<>();
    Future<Long> answer =
        threads.submit(
            () -> {
              thread.set(Thread.currentThread());
              return flows.queries.shared(new Same(sql, () -> {}), LIMIT, cancellation);
            });
    while (thread.get() == null || thread.get().getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    return answer;
  }

  private static Reason reason(Future<Long> failing) throws InterruptedException {
    try {
      throw new AssertionError("answers " + failing.get());
    } catch (ExecutionException e) {
      return ((QueryException) e.getCause()).reason();
    }
  }

  @Test
  void aConnectionIsUsableAfterAFailedQuery() {
    AtomicInteger readings = new AtomicInteger();
    assertThatThrownBy(() -> shared("SELECT nothing", 1, readings))
        .isInstanceOf(QueryException.class);
    assertThat(shared("SELECT 9", 1, readings)).isEqualTo(9);
    assertThat(shared("SELECT 10", 1, readings)).isEqualTo(10);
  }

  private long shared(String sql, long version, AtomicInteger readings) {
    return flows.queries.shared(
        query(
            sql,
            version,
            result -> {
              readings.incrementAndGet();
              return number(result);
            }),
        LIMIT,
        new Cancellation());
  }

  private Future<?> endless(long version, CountDownLatch isReading) {
    return threads.submit(
        () ->
            flows.queries.shared(
                query(
                    "SELECT count(*) FROM range(1000000000000)",
                    version,
                    result -> number(result),
                    isReading::countDown),
                LIMIT,
                new Cancellation()));
  }

  @Test
  void queriesAreCancelledWhileSpilledDataUsesTheReserve() throws Exception {
    CountDownLatch isReading = new CountDownLatch(2);
    List<Future<?>> queries = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      queries.add(endless(i, isReading));
    }
    await(isReading);
    flows.isSpillShort = true;
    for (Future<?> each : queries) {
      assertThatThrownBy(each::get)
          .cause()
          .isInstanceOfSatisfying(
              QueryException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BUSY))
          .hasMessageContaining("as the disk has room for");
    }
    flows.isSpillShort = false;
    assertThat(
            flows.queries.shared(
                query("SELECT 7", 1, result -> number(result)), LIMIT, new Cancellation()))
        .isEqualTo(7);
  }

  @Test
  void queriesThatKeepRowsInMemoryAreCancelledTheOldestFirst() throws Exception {
    List<Future<?>> queries = new ArrayList<>();
    for (int query = 0; query < 2; query++) {
      CountDownLatch isReading = new CountDownLatch(1);
      queries.add(endless(query, isReading));
      await(isReading);
    }
    flows.isTailHeld = true;
    assertThatThrownBy(queries.get(0)::get)
        .cause()
        .isInstanceOfSatisfying(
            QueryException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BUSY))
        .hasMessageContaining("new rows need the memory");
    assertThatThrownBy(queries.get(1)::get).hasMessageContaining("new rows need the memory");
    flows.isTailHeld = false;
    assertThat(
            flows.queries.shared(
                query("SELECT 7", 1, result -> number(result)), LIMIT, new Cancellation()))
        .isEqualTo(7);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
