package io.millrace.server.metrics;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Cache of a value that is slow to compute, such as the result of a query. A caller gets a new
 * value if it is computed in time, or else the last one, while the computation continues for later
 * callers. Thread-safe.
 *
 * @param <T> type of the value
 */
public final class Recent<T> {
  private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

  private final Supplier<T> source;
  private final Executor executor;
  private final long everyNanos;
  private final long timeoutMillis;
  private final long oldestNanos;
  private T last; // guarded by this, as are the fields below
  private long lastNanos;
  private CompletableFuture<T> next;

  /**
   * Creates an empty cache.
   *
   * @param source computes the value; called by one thread at a time
   * @param executor runs the source
   * @param every maximum age of a value that needs no new computation
   * @param timeout maximum wait for a new value if there is a previous one
   */
  public Recent(Supplier<T> source, Executor executor, Duration every, Duration timeout) {
    this(source, executor, every, timeout, FOR_EVER);
  }

  /**
   * Creates an empty cache.
   *
   * @param oldest maximum age of a returned value; if the last one is older, the wait is unlimited
   */
  public Recent(
      Supplier<T> source, Executor executor, Duration every, Duration timeout, Duration oldest) {
    this.source = source;
    this.executor = executor;
    everyNanos = every.toNanos();
    timeoutMillis = timeout.toMillis();
    oldestNanos = oldest.toNanos();
  }

  /**
   * Returns the value; waits without limit for the first one.
   *
   * @throws RuntimeException of the source, if it fails before the time-out
   */
  public T get() {
    CompletableFuture<T> requested;
    T known;
    synchronized (this) {
      requested = requested();
      known = isYounger(oldestNanos) ? last : null;
    }
    try {
      return known == null ? requested.get() : requested.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return known;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new CompletionException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    }
  }

  /** Starts a computation for later callers, unless the last value is recent. */
  public void refresh() {
    var unused = requested();
  }

  private synchronized CompletableFuture<T> requested() {
    if (isYounger(everyNanos)) {
      return CompletableFuture.completedFuture(last);
    }
    CompletableFuture<T> requested = next;
    if (requested == null) {
      requested = CompletableFuture.supplyAsync(source, executor);
      next = requested;
      var unused = requested.whenComplete((value, failure) -> came(value));
    }
    return requested;
  }

  private boolean isYounger(long nanos) {
    return last != null && System.nanoTime() - lastNanos < nanos;
  }

  private synchronized void came(T value) {
    next = null;
    if (value != null) {
      last = value;
      lastNanos = System.nanoTime();
    }
  }
}
