package io.millrace.server.api;

import java.time.Duration;

/**
 * Limits of concurrent queries and slow clients, for HTTP and Flight SQL together. A client is an
 * IPv4 address or an IPv6 /64.
 *
 * @param max concurrent queries, 4 to 1000; more are rejected
 * @param maxPerClient concurrent queries of one client, 1 to 1000; users of a proxy share its
 *     address
 * @param minRateBytes minimum bytes a second at which a client reads a response and sends a
 *     request's body, at least 1; slower ones are disconnected
 * @param rateInterval period over which that is measured, at least 100 ms
 * @param maxTime maximum time spent waiting for the client in total
 */
public record ResponsesConfig(
    int max, int maxPerClient, long minRateBytes, Duration rateInterval, Duration maxTime) {
  private static final Duration MIN_RATE_INTERVAL = Duration.ofMillis(100);

  /** 32 concurrent, 16 of one client; 16 KiB a second over ten seconds, for ten minutes. */
  public static final ResponsesConfig DEFAULTS =
      new ResponsesConfig(32, 16, 16 << 10, Duration.ofSeconds(10), Duration.ofMinutes(10));

  /** Checks the ranges. */
  public ResponsesConfig {
    within("max", max, 4);
    within("max-per-client", maxPerClient, 1);
    if (minRateBytes < 1) {
      throw new IllegalArgumentException(
          "http.responses.min-rate: " + minRateBytes + " is out of range, expected at least 1");
    }
    if (rateInterval.compareTo(MIN_RATE_INTERVAL) < 0) {
      throw new IllegalArgumentException(
          "http.responses.rate-interval: "
              + rateInterval
              + " is out of range, expected at least 100ms");
    }
    if (maxTime.compareTo(rateInterval) < 0) {
      throw new IllegalArgumentException(
          "http.responses.max-time: "
              + maxTime
              + " is out of range, expected at least http.responses.rate-interval");
    }
  }

  /** Minimum rate of reading a response. */
  public Pace.Terms pace() {
    return new Pace.Terms(minRateBytes, rateInterval, maxTime);
  }

  /** Minimum rate of sending a request's body, without a limit of its duration. */
  Pace.Terms bodyPace() {
    return new Pace.Terms(minRateBytes, rateInterval);
  }

  private static void within(String key, int value, int least) {
    if (value < least || value > 1_000) {
      throw new IllegalArgumentException(
          "http.responses."
              + key
              + ": "
              + value
              + " is out of range, expected "
              + least
              + " to 1000");
    }
  }
}
