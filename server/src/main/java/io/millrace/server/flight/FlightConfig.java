package io.millrace.server.flight;

import io.millrace.server.api.HttpConfig;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * Settings of the Arrow Flight SQL listener. Token and certificate are those of {@link HttpConfig}.
 *
 * @param enabled whether to listen
 * @param address bind address, loopback by default; any other needs a token
 * @param port TCP port, 0 to 65535; 0 takes a free one
 * @param maxQueries maximum open queries, 1 to 1000
 * @param memoryBytes memory for unsent rows, at least 16 MiB
 */
@RecordBuilder
public record FlightConfig(
    boolean enabled, String address, int port, int maxQueries, long memoryBytes)
    implements FlightConfigBuilder.With {
  /** On loopback, port 8815, 16 concurrent queries, 64 MiB. */
  public static final FlightConfig DEFAULTS =
      new FlightConfig(true, "127.0.0.1", 8815, 16, 64 << 20);

  private static final long MIN_MEMORY = 16 << 20;

  /** Checks the ranges. */
  public FlightConfig {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(
          "flight.port: " + port + " is out of range, expected 0 to 65535");
    }
    if (maxQueries < 1 || maxQueries > 1_000) {
      throw new IllegalArgumentException(
          "flight.max-queries: " + maxQueries + " is out of range, expected 1 to 1000");
    }
    if (memoryBytes < MIN_MEMORY) {
      throw new IllegalArgumentException(
          "flight.memory: " + memoryBytes + " is out of range, expected at least 16MiB");
    }
  }

  /**
   * Checks that a listener on another address than loopback has a token.
   *
   * @throws IllegalArgumentException if not
   */
  public void check(HttpConfig http) {
    if (enabled && !http.requiresToken() && !HttpConfig.isLoopback(address)) {
      throw new IllegalArgumentException(
          "flight.address: "
              + address
              + " is not loopback, so a token is required: write one into a file (openssl rand"
              + " -hex 32 > token) and name it in http.token-file; or use the address 127.0.0.1");
    }
  }

  /** Returns a disabled copy. */
  public FlightConfig withoutListening() {
    return withEnabled(false);
  }
}
