package io.millrace.lab.recovery;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Samples the visible output of the store: the newest row fifty times a second, the number of rows
 * ten times a second. Thread-safe.
 */
final class OutputWatch implements AutoCloseable {
  private static final long LOOK_NANOS = 20_000_000;
  private static final int LOOKS_PER_COUNT = 5;

  /**
   * A sample.
   *
   * @param atMicros time since the epoch
   * @param newestMicros {@link Output#newestMicros}
   * @param rows visible rows; those of an earlier sample while the store does not respond
   * @param logged rows that the log had acknowledged
   */
  record Look(long atMicros, long newestMicros, long rows, long logged) {}

  private final Output output;
  private final LongSupplier logged;
  private final List<Look> looks = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "millrace-watch");
  private volatile boolean isClosed;
  private volatile long rows;

  /**
   * Creates a watch; does not start it.
   *
   * @param output closed with this object
   */
  OutputWatch(Output output, LongSupplier logged) {
    this.output = output;
    this.logged = logged;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Time of this machine's clock, which also stamps the rows. */
  static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  private void run() {
    for (long turn = 0; !isClosed; turn++) {
      long newest = output.newestMicros();
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

  private void count() {
    try {
      rows = output.rows();
    } catch (IOException e) {
      // down: the last count remains
    }
  }

  /** Visible rows at the last count. */
  long rows() {
    return rows;
  }

  /** All samples since a time. */
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
    output.close();
  }
}
