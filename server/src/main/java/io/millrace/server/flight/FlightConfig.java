package io.millrace.server.flight;

import io.millrace.server.api.HttpConfig;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * Where Arrow Flight SQL is spoken. Token and certificate are those of {@link HttpConfig}.
 *
 * @param enabled whether it is
 * @param address address to bind, loopback by default; any other needs a token
 * @param port TCP port, 0 to 65535; 0 takes a free one
 * @param maxQueries queries that may be open at once, 1 to 1000
 * @param memoryBytes memory for rows on their way to clients; at least 16 MiB
 */
@RecordBuilder
public record FlightConfig(
    boolean enabled, String address, int port, int maxQueries, long memoryBytes)
    implements FlightConfigBuilder.With {
  /** On loopback, port 8815, 16 queries at once in 64 MiB. */
  public static final FlightConfig DEFAULTS =
      new FlightConfig(true, "127.0.0.1", 8815, 16, 64 << 20);

  private static final long LEAST_MEMORY = 16 << 20;

  /** Checks the ranges. */
  public FlightConfig {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("flight.port: " + port + " is not within 0 to 65535");
    }
    if (maxQueries < 1 || maxQueries > 1_000) {
      throw new IllegalArgumentException(
          "flight.max-queries: " + maxQueries + " is not within 1 to 1000");
    }
    if (memoryBytes < LEAST_MEMORY) {
      throw new IllegalArgumentException("flight.memory: " + memoryBytes + " is less than 16MiB");
    }
  }

  /**
   * Checks that nobody on the network may ask without a token.
   *
   * @throws IllegalArgumentException if they might
   */
  public void check(HttpConfig http) {
    if (enabled && !http.wantsToken() && !HttpConfig.isLoopback(address)) {
      throw new IllegalArgumentException(
          "flight.address: "
              + address
              + " is open to the network, so a token is needed: write one into a file (openssl rand"
              + " -hex 32 > token) and name it in http.token-file; or keep the address 127.0.0.1");
    }
  }

  /** The same, not spoken. */
  public FlightConfig withoutListening() {
    return withEnabled(false);
  }
}
