package io.millrace.lab.siege;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.millrace.lab.soak.Api;
import io.millrace.lab.soak.ConsolePage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A legitimate reader, which sends the queries of the page Now at its pace, top-N queries and
 * Prometheus scrapes, and measures the response times. A failed request counts with the time until
 * its failure.
 */
final class Dashboard implements AutoCloseable {
  private static final long TURN_NANOS = 1_000_000_000;
  private static final int SELDOM = 5; // turns
  private static final List<String> OFTEN = List.of("status", "gateways/top?n=10");
  private static final String TOP_AS = "top?by=as&last=5m&n=10";
  private static final String SERIES = "series";
  private static final List<String> PAGE =
      Stream.of(ConsolePage.now().first(), ConsolePage.now().lists())
          .flatMap(List::stream)
          .filter(path -> path.startsWith(SERIES))
          .toList();
  private static final String METRICS = "metrics";
  private static final String TOP = "top";
  private static final double USUAL = 0.9;

  private record Answer(String what, long atNanos, double millis) {}

  private final Api api;
  private final List<Answer> answers = new ArrayList<>(); // guarded by this, like the next four
  private JsonNode status = MissingNode.getInstance();
  private long checkpointBegan = System.nanoTime();
  private double pauseMillis;
  private int series;
  private volatile boolean closing;

  private interface Question {
    void ask() throws IOException;
  }

  Dashboard(Api api) {
    this.api = api;
    for (Runnable one : List.<Runnable>of(this::look, this::scrape)) {
      Thread thread = new Thread(one, "siege-dashboard");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void look() {
    for (int turn = 0; !closing; turn++) {
      for (String path : OFTEN) {
        timed(path, () -> heard(path, api.get(path)));
      }
      if (turn % SELDOM == 0) {
        timed(TOP, () -> api.get(TOP_AS));
        timed("ledger", () -> api.get("ledger"));
        for (String path : PAGE) {
          timed(SERIES, () -> api.get(path));
        }
      }
      LockSupport.parkNanos(TURN_NANOS);
    }
  }

  private void scrape() {
    while (!closing) {
      timed(METRICS, () -> scraped(api.metrics()));
      LockSupport.parkNanos(TURN_NANOS);
    }
  }

  private void timed(String what, Question question) {
    long start = System.nanoTime();
    try {
      question.ask();
    } catch (IOException e) {
      LockSupport.parkNanos(TURN_NANOS / 10); // a rejection may be immediate
    }
    long now = System.nanoTime();
    synchronized (this) {
      answers.add(new Answer(what, now, (now - start) / 1e6));
      pauseMillis = Math.max(pauseMillis, (now - checkpointBegan) / 1e6);
    }
  }

  private synchronized void heard(String path, JsonNode answer) {
    if (path.equals("status")) {
      status = answer;
      JsonNode age = answer.path("checkpoint").path("age_ms");
      if (age.isNumber()) {
        checkpointBegan = System.nanoTime() - age.asLong() * 1_000_000;
      }
    }
  }

  private synchronized void scraped(String metrics) {
    series = (int) metrics.lines().filter(line -> !line.startsWith("#")).count();
  }

  /** Starts a phase: discards earlier measurements. */
  synchronized void begin() {
    answers.clear();
    pauseMillis = 0;
  }

  /**
   * The 90th percentile of the response time of {@code /metrics} since a moment, in milliseconds;
   * if no request has ended since, the elapsed time.
   */
  double metricsMillis(long fromNanos) {
    double millis = usual(METRICS, fromNanos);
    return Double.isNaN(millis) ? (System.nanoTime() - fromNanos) / 1e6 : millis;
  }

  /** The same for top-N queries; NaN if none has ended. */
  double topMillis(long fromNanos) {
    return usual(TOP, fromNanos);
  }

  private synchronized double usual(String what, long fromNanos) {
    double[] millis =
        answers.stream()
            .filter(a -> a.what().equals(what) && a.atNanos() - fromNanos >= 0)
            .mapToDouble(Answer::millis)
            .sorted()
            .toArray();
    return millis.length == 0 ? Double.NaN : millis[(int) ((millis.length - 1) * USUAL)];
  }

  /** Longest time in this phase since the start of a completed checkpoint, in milliseconds. */
  synchronized double pauseMillis() {
    return pauseMillis;
  }

  /** Time since the start of the last completed checkpoint, in milliseconds. */
  synchronized double checkpointAgeMillis() {
    return (System.nanoTime() - checkpointBegan) / 1e6;
  }

  /** The last status received. */
  synchronized JsonNode status() {
    return status;
  }

  /** Number of values in the last Prometheus scrape. */
  synchronized int series() {
    return series;
  }

  @Override
  public void close() {
    closing = true;
  }
}
