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
 * A value that takes a while to find out, such as one that a query gives, for those who must not
 * wait for it when the machine is busy. Who asks gets a new one where that comes soon, and else the
 * last there was, while the new one is on its way for who asks next. Thread-safe.
 *
 * @param <T> of the value
 */
public final class Recent<T> {
  private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

  private final Supplier<T> source;
  private final Executor executor;
  private final long everyNanos;
  private final long patienceMillis;
  private final long oldestNanos;
  private T last; // guarded by this, as what follows
  private long lastNanos;
  private CompletableFuture<T> next;

  /**
   * A value that nobody has asked for yet.
   *
   * @param source finds it out; called by one thread at a time
   * @param executor where it is called
   * @param every a value younger than this is not asked for again
   * @param patience how long a new value is waited for where there is an older one
   */
  public Recent(Supplier<T> source, Executor executor, Duration every, Duration patience) {
    this(source, executor, every, patience, FOR_EVER);
  }

  /**
   * The same.
   *
   * @param oldest a value older than this is not given: a new one is waited for as long as it takes
   */
  public Recent(
      Supplier<T> source, Executor executor, Duration every, Duration patience, Duration oldest) {
    this.source = source;
    this.executor = executor;
    everyNanos = every.toNanos();
    patienceMillis = patience.toMillis();
    oldestNanos = oldest.toNanos();
  }

  /**
   * The value; the first is waited for as long as it takes.
   *
   * @throws RuntimeException of the source, where it fails within the patience
   */
  public T get() {
    CompletableFuture<T> asked;
    T known;
    synchronized (this) {
      asked = asked();
      known = isYounger(oldestNanos) ? last : null;
    }
    try {
      return known == null ? asked.get() : asked.get(patienceMillis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return known;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new CompletionException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    }
  }

  /** Has a new value found out for who gets it soon, unless the last is young enough. */
  public void ask() {
    var unused = asked();
  }

  private synchronized CompletableFuture<T> asked() {
    if (isYounger(everyNanos)) {
      return CompletableFuture.completedFuture(last);
    }
    CompletableFuture<T> asked = next;
    if (asked == null) {
      asked = CompletableFuture.supplyAsync(source, executor);
      next = asked;
      var unused = asked.whenComplete((value, failure) -> came(value));
    }
    return asked;
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
