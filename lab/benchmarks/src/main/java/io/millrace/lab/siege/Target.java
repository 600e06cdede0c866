package io.millrace.lab.siege;

import java.net.InetSocketAddress;

/**
 * The product as attackers reach it.
 *
 * @param pid process id
 * @param udp address of the collector
 * @param http port of the API
 * @param store port for writers of the store
 * @param ingest port for gateways
 * @param token the attacker's token, for records of {@link #GATEWAY} only
 * @param relayToken token for records of all gateways and streams
 * @param victim client name of a legitimate gateway
 * @param seconds length of the attack, over which its work is spread
 * @param seed seed of all choices
 */
record Target(
    long pid,
    InetSocketAddress udp,
    int http,
    int store,
    int ingest,
    String token,
    String relayToken,
    String victim,
    int seconds,
    long seed) {
  /** Anything faster would be a different attack, a flood. */
  private static final int MIN_SECONDS = 10;

  /** The gateway that belongs to the attacker. */
  static final String GATEWAY = "gw-mallory";

  /** Rate for {@code inAll} in the phase, or in {@value #MIN_SECONDS} s if that is longer. */
  double perSecond(double inAll) {
    return inAll / Math.max(MIN_SECONDS, seconds);
  }
}
