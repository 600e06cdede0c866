package io.millrace.lab.recovery;

import io.millrace.lab.apps.AppTrace;
import io.millrace.wire.block.PacketBlock;

/**
 * Blocks of packets as a capture makes them, from a trace that is repeated with other clients. Rows
 * are packets.
 */
final class PacketValues implements LoadValues {
  private static final int BLOCK_BYTES = 256 << 10;
  private static final int ETHERNET_LINK = 1;

  private final PacketBlock.Writer block = new PacketBlock.Writer();
  private final AppTrace.Rounds rounds;

  PacketValues(AppTrace trace) {
    rounds = trace.rounds();
  }

  @Override
  public int add(long dueMicros) {
    rounds.next();
    int length = rounds.length();
    block.add(dueMicros, ETHERNET_LINK, 0, length, rounds.bytes(), 0, length);
    return 1;
  }

  @Override
  public boolean isEmpty() {
    return block.rows() == 0;
  }

  @Override
  public boolean isFull() {
    return block.length() >= BLOCK_BYTES;
  }

  @Override
  public byte[] take() {
    byte[] value = block.toBytes();
    block.clear();
    return value;
  }
}
