package io.millrace.lab.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that queries continuously, one request after the other: SQL, rankings, the ledger, the
 * status. No response is acceptable while the process is down; any other failure is not.
 */
final class Questions implements AutoCloseable {
  private static final long PAUSE_NANOS = 200_000_000;
  private static final List<String> SQL =
      List.of(
          "SELECT count(*), sum(bytes * sampling_rate) FROM flows",
          "SELECT src_port, count(*) FROM flows WHERE time > now() - INTERVAL 1 MINUTE GROUP BY ALL"
              + " ORDER BY 2 DESC LIMIT 10",
          "SELECT exporter, count(*) FROM flows_committed GROUP BY ALL");
  private static final List<String> PATHS =
      List.of("top?by=src_as&last=5m", "ledger", "status", "top?by=dst_port&last=1m");

  private final Instance instance;
  private final Thread thread = new Thread(this::ask, "soak-questions");
  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong unanswered = new AtomicLong();
  private final List<String> wrong = new ArrayList<>();
  private volatile boolean closing;
  private volatile Slowest slowest = new Slowest("", 0);

  /** A request and its response time. */
  record Slowest(String question, double seconds) {}

  Questions(Instance instance) {
    this.instance = instance;
    thread.start();
  }

  private void ask() {
    for (int i = 0; !closing; i++) {
      if (instance.isUp()) {
        ask(i);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void ask(int i) {
    int life = instance.lives();
    long start = System.nanoTime();
    try {
      int question = i % (SQL.size() + PATHS.size());
      String asked;
      if (question < SQL.size()) {
        asked = SQL.get(question);
        instance.api().sql(asked);
      } else {
        asked = PATHS.get(question - SQL.size());
        instance.api().get(asked);
      }
      answered.incrementAndGet();
      took(asked, (System.nanoTime() - start) / 1e9);
    } catch (Api.WrongAnswer e) {
      synchronized (wrong) {
        wrong.add(e.getMessage());
      }
    } catch (IOException e) {
      unanswered.incrementAndGet();
      if (instance.isUp() && instance.lives() == life && !closing) {
        synchronized (wrong) {
          wrong.add("no response, but the process was not killed: " + e);
        }
      }
    }
  }

  private void took(String question, double seconds) {
    if (seconds > slowest.seconds()) {
      slowest = new Slowest(question, Math.round(seconds * 100) / 100.0);
    }
  }

  /** The slowest response. */
  Slowest slowest() {
    return slowest;
  }

  /** Requests that succeeded. */
  long answered() {
    return answered.get();
  }

  /** Requests without a response. */
  long unanswered() {
    return unanswered.get();
  }

  /** Error responses, and responses missing while the process was up. */
  List<String> wrong() {
    synchronized (wrong) {
      return List.copyOf(wrong);
    }
  }

  @Override
  public void close() {
    closing = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
