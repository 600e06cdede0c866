package io.millrace.server.flight;

import io.millrace.server.api.ApiException;
import io.millrace.server.api.ClientRejection;
import io.millrace.server.api.Pace;
import io.millrace.server.api.QueryAdmission;
import io.millrace.server.api.TransfersConfig;
import io.millrace.server.arrow.ArrowBatch;
import io.millrace.server.metrics.Latencies;
import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.QueryShape;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Runs queries and streams their rows, each on its own thread. The number of queries is limited.
 *
 * <p>The next batch is read only when the client has read the last one, so a slow client slows its
 * query down without using memory. The time limit of a query includes sending, and a client slower
 * than the minimum rate is disconnected. Thread-safe.
 */
final class QueryStreams {
  private final Store store;
  private final StoreConfig limits;
  private final BufferAllocator memory;
  private final ExecutorService threads;
  private final Latencies latencies;
  private final int maxQueries;
  private final Semaphore free;
  private final QueryAdmission admission;
  private final TransfersConfig transfers;
  private final Map<String, Cancellation> running = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();

  private static final class SlowReaderException extends Exception {
    private static final long serialVersionUID = 1;
  }

  QueryStreams(
      Store store,
      StoreConfig limits,
      int maxQueries,
      BufferAllocator memory,
      ExecutorService threads,
      Latencies latencies,
      QueryAdmission admission,
      TransfersConfig transfers) {
    this.admission = admission;
    this.transfers = transfers;
    this.store = store;
    this.limits = limits;
    this.maxQueries = maxQueries;
    this.memory = memory;
    this.threads = threads;
    this.latencies = latencies;
    free = new Semaphore(maxQueries);
  }

  QueryShape describe(StatementHandle statement) {
    try (QueryAdmission.Slot slot = admit()) {
      return store.describe(request(statement));
    } catch (RuntimeException e) {
      latencies.rejected(); // for example an invalid statement
      count(e, FlightClient.current());
      throw e;
    }
  }

  /** Runs an internal query, in DuckDB's SQL. */
  QueryResult query(String sql) {
    return store.embedded().query(request(StatementHandle.of(sql)));
  }

  private QueryRequest request(StatementHandle statement) {
    return new QueryRequest(
            statement.sql(),
            limits.queryTimeLimit(),
            limits.queryRowLimit(),
            false,
            statement.parameters())
        .withLists();
  }

  private QueryAdmission.Slot admit() {
    if (!free.tryAcquire()) {
      throw FlightErrors.tooManyQueries(maxQueries);
    }
    try {
      return admission.admit(FlightClient.current().address(), free::release);
    } catch (ApiException e) {
      free.release();
      throw FlightErrors.of(e);
    }
  }

  private void count(Throwable failure, FlightClient client) {
    if (failure instanceof QueryException rejection) {
      ClientRejection.of(rejection.reason())
          .ifPresent(reason -> admission.countRejection(reason, client.address()));
    } else if (failure instanceof SlowReaderException) {
      admission.countRejection(ClientRejection.SLOW_READER, client.address());
    }
  }

  void start(StatementHandle statement, ServerStreamListener listener) {
    QueryAdmission.Slot slot;
    try {
      slot = admit();
    } catch (RuntimeException e) {
      latencies.rejected();
      throw e;
    }
    Cancellation cancellation = new Cancellation();
    Outlet outlet = new Outlet(listener, cancellation);
    running.put(statement.id(), cancellation);
    FlightClient client = FlightClient.current();
    threads.execute(() -> run(statement, listener, outlet, cancellation, slot, client));
  }

  private void run(
      StatementHandle statement,
      ServerStreamListener listener,
      Outlet outlet,
      Cancellation cancellation,
      QueryAdmission.Slot slot,
      FlightClient client) {
    Throwable failure = null;
    try {
      latencies.time(() -> send(statement, listener, outlet, cancellation, slot));
    } catch (Throwable e) {
      failure = e;
      count(e, client);
    } finally {
      running.remove(statement.id(), cancellation);
      slot.close(); // before the client is notified, so that its next query is admitted
    }
    if (failure instanceof SlowReaderException) {
      client.abort(); // an error response would be queued after the unread rows
    } else if (failure == null) {
      listener.completed();
    } else if (!listener.isCancelled()) {
      listener.error(FlightErrors.of(failure));
    }
  }

  private void send(
      StatementHandle statement,
      ServerStreamListener listener,
      Outlet outlet,
      Cancellation cancellation,
      QueryAdmission.Slot slot)
      throws InterruptedException, SlowReaderException {
    slot.resume();
    Pace pace = new Pace(transfers.responsePace());
    long deadline = System.nanoTime() + limits.queryTimeLimit().toNanos();
    try (QueryResult result = store.query(request(statement), cancellation);
        ArrowBatch batch = new ArrowBatch(result.columns(), memory)) {
      boolean more = result.next(); // may fail, so before the schema is sent
      listener.start(batch.root());
      while (more) {
        batch.add(result);
        more = result.next();
        if (batch.isFull() || !more) {
          slot.pause();
          pace.begin();
          try {
            await(outlet, cancellation, pace, deadline);
          } finally {
            pace.end(batch.bytes()); // the size of the next batch approximates that of the sent one
          }
          slot.resume();
          batch.seal();
          listener.putNext();
          batch.clear();
        }
      }
      if (result.truncated()) {
        throw FlightErrors.tooManyRows(limits.queryRowLimit());
      }
    }
  }

  private void await(Outlet outlet, Cancellation cancellation, Pace pace, long deadline)
      throws InterruptedException, SlowReaderException {
    Outlet.Wait wait;
    waiting.incrementAndGet();
    try {
      wait = outlet.await(cancellation, pace, deadline);
    } finally {
      waiting.decrementAndGet();
    }
    switch (wait) {
      case READY -> {}
      case GONE ->
          throw new QueryException(
              Reason.CANCELLED, "the query was cancelled", QueryException.NO_POSITION);
      case TOO_SLOW -> throw new SlowReaderException();
      case TOO_LONG ->
          throw new QueryException(
              Reason.TIMEOUT,
              "the client did not read all rows within the query's time limit",
              QueryException.NO_POSITION);
    }
  }

  int open() {
    return maxQueries - free.availablePermits();
  }

  int waiting() {
    return waiting.get();
  }

  /** Cancels an execution; false if none with that id is running. */
  boolean cancel(String id) {
    Cancellation cancellation = running.get(id);
    if (cancellation == null) {
      return false;
    }
    cancellation.cancel();
    return true;
  }

  void cancelAll() {
    running.values().forEach(Cancellation::cancel);
  }
}
