package io.millrace.pipelines.flows;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Map;
import java.util.TreeMap;

/**
 * Next offsets of external topics, by source, in one partition of the log; used to drop duplicate
 * messages.
 *
 * <p>A bridge writes the messages of a source in order, and restarts from the first uncommitted
 * one. So a message is new if and only if its offset is not less than the next expected offset.
 */
final class SourcePositions {
  private static final int FAMILY = ('M' << 16) | ('S' << 8) | 'P';
  private static final int VERSION = 1;

  private final Map<Long, Long> next = new TreeMap<>();

  boolean advance(long source, long offset) {
    Long expected = next.get(source);
    if (expected != null && offset < expected) {
      return false;
    }
    next.put(source, offset + 1);
    return true;
  }

  void write(BlockBuffer out) {
    out.putInt(FAMILY);
    out.putByte(VERSION);
    out.putInt(next.size());
    next.forEach(
        (source, offset) -> {
          out.putLong(source);
          out.putLong(offset);
        });
  }

  /** Parses the output of {@link #write}. */
  static SourcePositions read(BlockInput in) {
    SourcePositions positions = new SourcePositions();
    if (in.remaining() == 0) {
      return positions;
    }
    if (in.takeInt() != FAMILY || in.takeByte() != VERSION) {
      throw in.broken("not positions of topics, or written by a newer release");
    }
    for (int left = in.takeInt(); left > 0; left--) {
      long source = in.takeLong();
      positions.next.put(source, in.takeLong());
    }
    return positions;
  }
}
