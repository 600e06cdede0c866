package io.millrace.wire.packet;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Why a packet, or something in it, could not be used. */
public enum PacketReject {
  /** There is no IP in the frame. */
  NOT_IP("not-ip", "packets that are not IP"),
  /** The frame begins with a link layer that is not read. */
  UNKNOWN_LINK("unknown-link", "packets behind a link layer that is not read"),
  /** The bytes end in front of IP, within link layer, tags or labels. */
  SHORT_FRAME("short-frame", "packets that end in front of IP"),
  /** The bytes end within the headers of IP. */
  CUT_IP_HEADER("cut-ip-header", "packets that end within the headers of IP"),
  /** IP's version or a length in its headers cannot be. */
  BAD_IP_HEADER("bad-ip-header", "packets whose IP header says what cannot be"),
  /**
   * Headers of a tunnel, or of the packet in it, are cut or cannot be. The packet counts as one of
   * the ends of the tunnel.
   */
  BAD_TUNNEL("bad-tunnel", "packets whose tunnel cannot be opened"),
  /** The bytes end within the ports, or within the header of TCP. */
  CUT_TRANSPORT_HEADER("cut-transport-header", "packets that end within ports or TCP's header"),
  /** The header of TCP says that it is shorter than it can be. */
  BAD_TRANSPORT_HEADER("bad-transport-header", "packets whose TCP header says what cannot be"),
  /** A fragment that is cut or empty, or reaches beyond the longest packet. */
  BAD_FRAGMENT("bad-fragment", "fragments that are cut or say what cannot be"),
  /** A packet of which fragments did not come in time, or for which there was no room. */
  MISSING_FRAGMENTS("missing-fragments", "packets of which fragments are missing"),
  /** A packet whose fragments say different things of the same bytes. */
  CONTRADICTING_FRAGMENTS("contradicting-fragments", "packets whose fragments contradict"),
  /** At the port of GTP's control plane, a message that is cut or none of version 1 or 2. */
  BAD_CONTROL_MESSAGE("bad-control-message", "messages of GTP's control plane cut or wrong");

  /** Those that {@link PacketHeaders} tells. */
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

  /** What is counted, in one phrase. */
  public String help() {
    return help;
  }
}
