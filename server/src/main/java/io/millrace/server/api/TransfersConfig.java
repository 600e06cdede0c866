package io.millrace.server.api;

import java.time.Duration;

/**
 * Minimum rate of clients that read a response or send a request body, for HTTP and Flight SQL.
 *
 * @param minRateBytes minimum bytes a second, at least 1; slower clients are disconnected
 * @param rateInterval interval over which the rate is measured, at least 100 ms
 * @param maxWait maximum total time spent waiting for the client during a response
 */
public record TransfersConfig(long minRateBytes, Duration rateInterval, Duration maxWait) {
  private static final Duration MIN_RATE_INTERVAL = Duration.ofMillis(100);

  /** 16 KiB a second, measured over 10 seconds; maximum wait of 10 minutes. */
  public static final TransfersConfig DEFAULTS =
      new TransfersConfig(16 << 10, Duration.ofSeconds(10), Duration.ofMinutes(10));

  /** Checks the ranges. */
  public TransfersConfig {
    if (minRateBytes < 1) {
      throw new IllegalArgumentException(
          "http.transfers.min-rate: " + minRateBytes + " is out of range, expected at least 1");
    }
    if (rateInterval.compareTo(MIN_RATE_INTERVAL) < 0) {
      throw new IllegalArgumentException(
          "http.transfers.rate-interval: "
              + rateInterval
              + " is out of range, expected at least 100ms");
    }
    if (maxWait.compareTo(rateInterval) < 0) {
      throw new IllegalArgumentException(
          "http.transfers.max-wait: "
              + maxWait
              + " is out of range, expected at least http.transfers.rate-interval");
    }
  }

  /** Minimum rate at which clients must read a response. */
  public Pace.Terms responsePace() {
    return new Pace.Terms(minRateBytes, rateInterval, maxWait);
  }

  /** Minimum rate at which clients must send a request body, without a limit of the total wait. */
  Pace.Terms bodyPace() {
    return new Pace.Terms(minRateBytes, rateInterval);
  }
}
