package io.millrace.wire.packet;

import java.util.Locale;

/** Which IP layer of a packet counts, where a tunnel puts several one into the other. */
public enum IpLayer {
  /** The first: the ends of the tunnel. */
  OUTER,
  /** The last that can be reached: who talks through the tunnel. */
  INNER;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
