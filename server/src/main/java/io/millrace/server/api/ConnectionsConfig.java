package io.millrace.server.api;

import java.time.Duration;

/**
 * Limits of API connections. A client is an IPv4 address or an IPv6 /64.
 *
 * @param max connections, 16 to 100000; further ones wait to be accepted
 * @param maxPerClient connections of one client, 1 to 100000; further ones are rejected
 * @param idleTimeout idle timeout of a connection, and maximum time to receive request headers, 1 s
 *     to 1 h
 */
public record ConnectionsConfig(int max, int maxPerClient, Duration idleTimeout) {
  private static final int MAX = 100_000;
  private static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration MAX_TIMEOUT = Duration.ofHours(1);

  /** 4,000 connections in total, 400 per client, 30 seconds. */
  public static final ConnectionsConfig DEFAULTS =
      new ConnectionsConfig(4_000, 400, Duration.ofSeconds(30));

  /** Checks the ranges. */
  public ConnectionsConfig {
    within("max", max, 16);
    within("max-per-client", maxPerClient, 1);
    if (idleTimeout.compareTo(MIN_TIMEOUT) < 0 || idleTimeout.compareTo(MAX_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "http.connections.idle-timeout: " + idleTimeout + " is out of range, expected 1s to 1h");
    }
  }

  private static void within(String key, int value, int min) {
    if (value < min || value > MAX) {
      throw new IllegalArgumentException(
          "http.connections."
              + key
              + ": "
              + value
              + " is out of range, expected "
              + min
              + " to "
              + MAX);
    }
  }
}
