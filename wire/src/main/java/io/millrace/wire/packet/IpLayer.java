package io.millrace.wire.packet;

import java.util.Locale;

/** IP layer that is used for packets in tunnels. */
public enum IpLayer {
  /** The first: the tunnel endpoints. */
  OUTER,
  /** The last one found: the hosts that communicate through the tunnel. */
  INNER;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
