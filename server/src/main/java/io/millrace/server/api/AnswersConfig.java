package io.millrace.server.api;

import java.time.Duration;

/**
 * How much clients may ask for at once, and how slowly they may read and send; over HTTP and Flight
 * SQL together. A client is an IPv4 address, or the first 64 bits of an IPv6 address.
 *
 * @param max questions that are answered at once, 4 to 1000; more are refused
 * @param maxEach of these, the questions of one client, 1 to 1000; behind a proxy all have its
 *     address
 * @param leastRateBytes bytes a second that a client has to take of an answer, and to send of a
 *     request's body, at least 1; slower ones are given up
 * @param patience time over which that is measured, at least 100 ms
 * @param writeTime time that an answer may wait for its client in all; then it is given up
 */
public record AnswersConfig(
    int max, int maxEach, long leastRateBytes, Duration patience, Duration writeTime) {
  private static final Duration LEAST_PATIENCE = Duration.ofMillis(100);

  /** 32 at once, 16 of one client; 16 KiB a second over ten seconds, for ten minutes. */
  public static final AnswersConfig DEFAULTS =
      new AnswersConfig(32, 16, 16 << 10, Duration.ofSeconds(10), Duration.ofMinutes(10));

  /** Checks the ranges. */
  public AnswersConfig {
    within("max", max, 4);
    within("max-each", maxEach, 1);
    if (leastRateBytes < 1) {
      throw new IllegalArgumentException(
          "http.answers.least-rate: " + leastRateBytes + " is less than 1");
    }
    if (patience.compareTo(LEAST_PATIENCE) < 0) {
      throw new IllegalArgumentException(
          "http.answers.patience: " + patience + " is less than 100ms");
    }
    if (writeTime.compareTo(patience) < 0) {
      throw new IllegalArgumentException(
          "http.answers.write-time: " + writeTime + " is less than http.answers.patience");
    }
  }

  /** How an answer has to be taken. */
  public Pace.Terms pace() {
    return new Pace.Terms(leastRateBytes, patience, writeTime);
  }

  /** How a request's body has to come; a long one may take long. */
  Pace.Terms bodyPace() {
    return new Pace.Terms(leastRateBytes, patience);
  }

  private static void within(String key, int value, int least) {
    if (value < least || value > 1_000) {
      throw new IllegalArgumentException(
          "http.answers." + key + ": " + value + " is not within " + least + " to 1000");
    }
  }
}
