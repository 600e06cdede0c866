package io.millrace.pipelines.flows;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.KeyHash;

/**
 * Counts rows that an exporter may report twice: on ingress at one interface and on egress at the
 * other. Learns from the rows in which directions each interface reports.
 *
 * <p>An exporter that observes one port in both directions reports each packet once, and none of
 * its rows is counted. If there are more interfaces than slots, some are evicted, so a count may be
 * too small but never too large.
 */
final class BothSides {
  private static final int PLACES = 1 << 12;
  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;
  private static final int INGRESS = 0;
  private static final int EGRESS = 1;

  private final long[] ingress = new long[PLACES];
  private final long[] egress = new long[PLACES];
  private long exporter;

  /** Begins a datagram of an exporter. */
  void begin(long senderHigh, long senderLow, long agentHigh, long agentLow) {
    exporter = KeyHash.with(KeyHash.of(senderHigh, senderLow), KeyHash.of(agentHigh, agentLow));
  }

  int count(FlowBlock block, int first) {
    if (!block.has(FlowColumn.DIRECTION)) {
      return 0;
    }
    int[] directions = block.ints(FlowColumn.DIRECTION);
    int[] inputs = block.ints(FlowColumn.IN_IF);
    int[] outputs = block.ints(FlowColumn.OUT_IF);
    int[] formats = block.ints(FlowColumn.OUT_IF_FORMAT);
    int found = 0;
    for (int row = first; row < block.rows(); row++) {
      int direction = directions[row];
      if ((direction != INGRESS && direction != EGRESS) || formats[row] > 0) {
        continue; // an output of another format is not an interface
      }
      boolean isIngress = direction == INGRESS;
      learn(isIngress ? ingress : egress, isIngress ? inputs[row] : outputs[row]);
      found +=
          isKnown(isIngress ? egress : ingress, isIngress ? outputs[row] : inputs[row]) ? 1 : 0;
    }
    return found;
  }

  private long key(int index) {
    long key = (exporter ^ Integer.toUnsignedLong(index)) * MIX;
    return key ^ (key >>> Integer.SIZE);
  }

  private void learn(long[] known, int index) {
    if (isInterface(index)) {
      long key = key(index);
      known[(int) key & (PLACES - 1)] = key;
    }
  }

  private boolean isKnown(long[] known, int index) {
    if (!isInterface(index)) {
      return false;
    }
    long key = key(index);
    return known[(int) key & (PLACES - 1)] == key;
  }

  private static boolean isInterface(int index) {
    return index != 0 && index != FlowBlock.NULL;
  }
}
