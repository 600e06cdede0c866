package io.millrace.server.api;

/**
 * Limits of concurrent queries, for HTTP and Flight SQL together. A client is an IPv4 address or an
 * IPv6 /64.
 *
 * @param max concurrent queries, 4 to 1000; more are rejected
 * @param maxPerClient concurrent queries of one client, 1 to 1000; users of a proxy share its
 *     address
 */
public record QueriesConfig(int max, int maxPerClient) {
  /** 32 concurrent queries, 16 per client. */
  public static final QueriesConfig DEFAULTS = new QueriesConfig(32, 16);

  /** Checks the ranges. */
  public QueriesConfig {
    requireInRange("max", max, 4);
    requireInRange("max-per-client", maxPerClient, 1);
  }

  private static void requireInRange(String key, int value, int min) {
    if (value < min || value > 1_000) {
      throw new IllegalArgumentException(
          "http.queries." + key + ": " + value + " is out of range, expected " + min + " to 1000");
    }
  }
}
