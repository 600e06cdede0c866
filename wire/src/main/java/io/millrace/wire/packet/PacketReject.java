package io.millrace.wire.packet;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Reason why a packet, or a part of it, was rejected. */
public enum PacketReject {
  /** The frame has no IP. */
  NOT_IP("not-ip", "packets that are not IP"),
  /** Unsupported link type. */
  UNKNOWN_LINK("unknown-link", "packets with an unsupported link type"),
  /** The bytes end before IP, within link layer, tags or labels. */
  SHORT_FRAME("short-frame", "packets truncated before IP"),
  /** The bytes end within the headers of IP. */
  CUT_IP_HEADER("cut-ip-header", "packets truncated within the headers of IP"),
  /** Invalid IP version or header length. */
  BAD_IP_HEADER("bad-ip-header", "packets with an invalid IP header"),
  /**
   * Truncated or invalid headers of a tunnel, or of the packet in it. The packet counts as one of
   * the tunnel endpoints.
   */
  BAD_TUNNEL("bad-tunnel", "packets with an invalid or truncated tunnel header"),
  /** The bytes end within the ports, or within the header of TCP. */
  CUT_TRANSPORT_HEADER("cut-transport-header", "packets truncated within ports or the TCP header"),
  /** The TCP header's length is below the minimum. */
  BAD_TRANSPORT_HEADER("bad-transport-header", "packets with an invalid TCP header"),
  /** A fragment that is truncated, empty or beyond the maximum length of a packet. */
  BAD_FRAGMENT("bad-fragment", "truncated or invalid fragments"),
  /** A packet with fragments that did not arrive in time, or were evicted. */
  MISSING_FRAGMENTS("missing-fragments", "packets with missing fragments"),
  /** A packet with contradictory overlapping fragments. */
  CONTRADICTING_FRAGMENTS("contradicting-fragments", "packets with contradictory fragments"),
  /** A message at the port of GTP's control plane that is truncated or not of version 1 or 2. */
  BAD_CONTROL_MESSAGE("bad-control-message", "invalid or truncated GTP control-plane messages");

  /** Reasons from {@link PacketHeaders}. */
  public static final Set<PacketReject> OF_HEADERS =
      Collections.unmodifiableSet(EnumSet.range(NOT_IP, BAD_TUNNEL));

  private final String label;
  private final String help;

  PacketReject(String label, String help) {
    this.label = label;
    this.help = help;
  }

  /** Stable name for counters and documents: lower case with hyphens. */
  public String label() {
    return label;
  }

  /** Description of the counted packets, in one phrase. */
  public String help() {
    return help;
  }
}
