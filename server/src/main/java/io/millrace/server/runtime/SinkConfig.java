package io.millrace.server.runtime;

import java.time.Duration;

/**
 * Commits to the store.
 *
 * @param flushInterval maximum time until a row is visible, 1 ms to 10 s; longer makes larger
 *     commits, which cost less
 */
public record SinkConfig(Duration flushInterval) {
  /** Visible within 150 ms. */
  public static final SinkConfig DEFAULTS = new SinkConfig(Duration.ofMillis(150));

  /** Checks the range. */
  public SinkConfig {
    if (flushInterval.toMillis() < 1 || flushInterval.toSeconds() > 10) {
      throw new IllegalArgumentException(
          "flush-interval: "
              + flushInterval.toMillis()
              + " ms is out of range, expected 1ms to 10s");
    }
  }
}
