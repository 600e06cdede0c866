package io.millrace.lab.siege;

import java.net.InetSocketAddress;

/**
 * What can be reached of the product.
 *
 * @param pid the process's number
 * @param udp where datagrams go
 * @param http port of the API
 * @param store port at which the store takes writers
 * @param ingest port at which gateways send
 * @param token with which the attacker may send records of {@link #GATEWAY}, and of no other
 * @param relayToken with which records of any gateway may be sent, and those of streams
 * @param victim the name under which a legitimate client's frames are known
 * @param seconds length of the attack, so that a number of things can be spread over it
 * @param seed of all choices
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
  /** Sending everything in less time than this would be another attack: a flood. */
  private static final int MIN_SECONDS = 10;

  /** The gateway that belongs to the attacker. */
  static final String GATEWAY = "gw-mallory";

  /** How many a second make so many in the phase, if it is not a very short one. */
  double perSecond(double inAll) {
    return inAll / Math.max(MIN_SECONDS, seconds);
  }
}
