package io.millrace.server.runtime;

import java.time.Duration;

/**
 * How rows get into the store.
 *
 * @param flushInterval longest time that a row waits to become visible, 1 ms to 10 s
 * @param flushRows rows that make a commit before that, at least 1
 */
public record SinkConfig(Duration flushInterval, int flushRows) {
  /** Visible within 100 ms. */
  public static final SinkConfig DEFAULTS = new SinkConfig(Duration.ofMillis(100), 122_880);

  /** Checks the ranges. */
  public SinkConfig {
    if (flushInterval.toMillis() < 1 || flushInterval.toSeconds() > 10) {
      throw new IllegalArgumentException(
          "sink.flush-interval: " + flushInterval.toMillis() + " ms is not within 1ms to 10s");
    }
    if (flushRows < 1) {
      throw new IllegalArgumentException("sink.flush-rows: " + flushRows + " is less than 1");
    }
  }
}
