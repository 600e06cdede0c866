package io.millrace.wire.packet;

import java.util.ArrayList;
import java.util.List;

/** Counters of rejected packets, by reason. Not thread-safe. */
public final class PacketRejects {
  private static final PacketReject[] REASONS = PacketReject.values();

  private final long[] counts = new long[REASONS.length];

  /** Counters of 0. */
  public PacketRejects() {}

  /** Counts one more. */
  public void add(PacketReject reason) {
    counts[reason.ordinal()]++;
  }

  /** Number of packets of a reason. */
  public long count(PacketReject reason) {
    return counts[reason.ordinal()];
  }

  /** One line for each reason with packets. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (PacketReject reason : REASONS) {
      if (count(reason) > 0) {
        lines.add(count(reason) + " × " + reason.label());
      }
    }
    return lines;
  }
}
