package io.millrace.lab.packets;

import io.millrace.lab.harness.WrongResultException;
import io.millrace.wire.block.TableBlock;

/** Packets and bytes of TCP, UDP and all other protocols. Thread-safe. */
final class Totals {
  private final long[] packets = new long[3];
  private final long[] bytes = new long[3];

  synchronized void add(long protocol, long morePackets, long moreBytes) {
    int place = protocol == HeaderTrace.TCP ? 0 : protocol == HeaderTrace.UDP ? 1 : 2;
    packets[place] += morePackets;
    bytes[place] += moreBytes;
  }

  synchronized void add(Totals other, long times) {
    for (int i = 0; i < packets.length; i++) {
      packets[i] += other.packets[i] * times;
      bytes[i] += other.bytes[i] * times;
    }
  }

  /** Adds rows of {@link io.millrace.analytics.packets.PacketSums#COUNTS}. */
  void add(TableBlock rows) {
    for (int row = 0; row < rows.rows(); row++) {
      add(rows.longs(1)[row], rows.longs(2)[row], rows.longs(3)[row]);
    }
  }

  synchronized long packets() {
    return packets[0] + packets[1] + packets[2];
  }

  synchronized long bytes() {
    return bytes[0] + bytes[1] + bytes[2];
  }

  synchronized void check(String what, Totals expected) {
    for (int i = 0; i < packets.length; i++) {
      WrongResultException.check(what + ", packets of kind " + i, expected.packets[i], packets[i]);
      WrongResultException.check(what + ", bytes of kind " + i, expected.bytes[i], bytes[i]);
    }
  }
}
