package io.millrace.server.api;

import java.time.Duration;

/**
 * Limits of concurrent queries and slow clients, for HTTP and Flight SQL together. A client is an
 * IPv4 address or an IPv6 /64.
 *
 * @param max concurrent queries, 4 to 1000; more are rejected
 * @param maxEach concurrent queries of one client, 1 to 1000; users of a proxy share its address
 * @param leastRateBytes minimum bytes a second at which a client reads a response and sends a
 *     request's body, at least 1; slower ones are disconnected
 * @param patience period over which that is measured, at least 100 ms
 * @param writeTime maximum time spent waiting for the client in total
 */
public record AnswersConfig(
    int max, int maxEach, long leastRateBytes, Duration patience, Duration writeTime) {
  private static final Duration LEAST_PATIENCE = Duration.ofMillis(100);

  /** 32 concurrent, 16 of one client; 16 KiB a second over ten seconds, for ten minutes. */
  public static final AnswersConfig DEFAULTS =
      new AnswersConfig(32, 16, 16 << 10, Duration.ofSeconds(10), Duration.ofMinutes(10));

  /** Checks the ranges. */
  public AnswersConfig {
    within("max", max, 4);
    within("max-each", maxEach, 1);
    if (leastRateBytes < 1) {
      throw new IllegalArgumentException(
          "http.answers.least-rate: " + leastRateBytes + " is out of range, expected at least 1");
    }
    if (patience.compareTo(LEAST_PATIENCE) < 0) {
      throw new IllegalArgumentException(
          "http.answers.patience: " + patience + " is out of range, expected at least 100ms");
    }
    if (writeTime.compareTo(patience) < 0) {
      throw new IllegalArgumentException(
          "http.answers.write-time: "
              + writeTime
              + " is out of range, expected at least http.answers.patience");
    }
  }

  /** Minimum rate of reading a response. */
  public Pace.Terms pace() {
    return new Pace.Terms(leastRateBytes, patience, writeTime);
  }

  /** Minimum rate of sending a request's body, without a limit of its duration. */
  Pace.Terms bodyPace() {
    return new Pace.Terms(leastRateBytes, patience);
  }

  private static void within(String key, int value, int least) {
    if (value < least || value > 1_000) {
      throw new IllegalArgumentException(
          "http.answers."
              + key
              + ": "
              + value
              + " is out of range, expected "
              + least
              + " to 1000");
    }
  }
}
