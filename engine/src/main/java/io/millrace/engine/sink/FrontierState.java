package io.millrace.engine.sink;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.sink.UnrecoverableException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * A frontier in a checkpoint, big-endian:
 *
 * <pre>
 *   0      1         2        4        8
 *   +------+---------+--------+--------+-------------------+----------------+--
 *   | 'F'  | version | flags  | count  | partition, 4 B    | next, 8 B      | …
 *   +------+---------+--------+--------+-------------------+----------------+--
 * </pre>
 */
final class FrontierState {
  private static final byte FAMILY = 'F';
  private static final byte VERSION = 1;
  private static final int HEADER_LENGTH = 8;
  private static final int ENTRY_LENGTH = 12;

  private FrontierState() {}

  static byte[] encode(Frontier frontier) {
    Map<Integer, Long> next = frontier.next();
    ByteBuffer out = ByteBuffer.allocate(HEADER_LENGTH + ENTRY_LENGTH * next.size());
    out.put(FAMILY).put(VERSION).putShort((short) 0).putInt(next.size());
    next.forEach((partition, offset) -> out.putInt(partition).putLong(offset));
    return out.array();
  }

  private static String damaged(String how) {
    return "the sink's state in the checkpoint is %s: rename the checkpoint's folder chk-N, so that the next start uses the previous checkpoint"
        .formatted(how);
  }

  static Frontier decode(byte[] state) {
    if (state.length < HEADER_LENGTH || state[0] != FAMILY) {
      throw new UnrecoverableException(damaged("damaged"));
    }
    if (state[1] != VERSION) {
      throw new UnrecoverableException(
          "the sink's state in the checkpoint is of version "
              + state[1]
              + ", this release reads version "
              + VERSION
              + ": use the newer release that wrote it");
    }
    ByteBuffer in = ByteBuffer.wrap(state, 4, state.length - 4);
    int count = in.getInt();
    if (in.remaining() != (long) count * ENTRY_LENGTH) {
      throw new UnrecoverableException(damaged("truncated"));
    }
    Map<Integer, Long> next = new HashMap<>();
    for (int i = 0; i < count; i++) {
      next.put(in.getInt(), in.getLong());
    }
    return new Frontier(next);
  }
}
