package io.millrace.bench.recovery;

import io.millrace.store.FlowSchema;
import io.millrace.store.Store;
import io.millrace.store.StoreException;
import io.millrace.store.remote.RemoteInlet;
import io.millrace.store.remote.StoreSecret;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Looks at what is visible in the store, fifty times a second: the time of the newest row by the
 * store's own protocol, which costs it next to nothing, and the number of rows, which costs a
 * request over HTTP, a few times a second. Thread-safe.
 */
final class OutputWatch implements AutoCloseable {
  private static final long LOOK_NANOS = 20_000_000;
  private static final int LOOKS_PER_COUNT = 5;
  private static final Duration NO_PATIENCE = Duration.ZERO;

  /** Rows that are written never: the watch only reads. */
  private static final Duration UNUSED = Duration.ofMillis(150);

  /**
   * A look.
   *
   * @param atMicros when, since the epoch
   * @param newestMicros arrival of the newest row that was ever visible; {@link Long#MIN_VALUE}
   *     while the store does not answer or has shown none in its present life
   * @param rows visible by then; those of an earlier look while the store does not answer
   * @param logged samples that the log had acknowledged
   */
  record Look(long atMicros, long newestMicros, long rows, long logged) {}

  private final InetSocketAddress writers;
  private final StoreSecret secret;
  private final StoreApi api;
  private final LongSupplier logged;
  private final List<Look> looks = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "millrace-watch");
  private volatile boolean isClosed;
  private volatile long rows;
  private RemoteInlet<?, ?> inlet;

  /** Not started. */
  OutputWatch(InetSocketAddress writers, StoreSecret secret, StoreApi api, LongSupplier logged) {
    this.writers = writers;
    this.secret = secret;
    this.api = api;
    this.logged = logged;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** This machine's clock, by which rows are stamped too. */
  static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private void run() {
    for (long turn = 0; !isClosed; turn++) {
      long newest = newest();
      if (turn % LOOKS_PER_COUNT == 0) {
        count();
      }
      Look look = new Look(nowMicros(), newest, rows, logged.getAsLong());
      synchronized (looks) {
        looks.add(look);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private long newest() {
    try {
      if (inlet == null) {
        inlet =
            RemoteInlet.open(
                writers.getHostString(),
                writers.getPort(),
                secret,
                Store.FLOWS,
                new FlowSchema(List.of()),
                UNUSED,
                NO_PATIENCE);
      }
      return inlet.newestMicros();
    } catch (StoreException e) {
      if (inlet != null) {
        inlet.close();
        inlet = null;
      }
      return Long.MIN_VALUE;
    }
  }

  private void count() {
    try {
      rows = api.rows();
    } catch (IOException e) {
      // it is down; what it had counts until it answers
    }
  }

  /** Rows that were visible at the last count. */
  long rows() {
    return rows;
  }

  /** All looks since that time. */
  List<Look> since(long micros) {
    synchronized (looks) {
      int first = looks.size();
      while (first > 0 && looks.get(first - 1).atMicros() >= micros) {
        first--;
      }
      return List.copyOf(looks.subList(first, looks.size()));
    }
  }

  @Override
  public void close() {
    isClosed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (inlet != null) {
      inlet.close();
    }
  }
}
