package io.millrace.pipelines.flows;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far the messages of other topics have been read out of one partition of the log: what makes
 * rows of a message that the log holds twice once.
 *
 * <p>A bridge writes the messages of a source in their order, and begins again in front of those
 * that were not confirmed. So a message is new exactly if its offset is not below the next one that
 * was expected.
 */
final class SourcePositions {
  private static final int FAMILY = ('M' << 16) | ('S' << 8) | 'P';
  private static final int VERSION = 1;

  private final Map<Long, Long> next = new TreeMap<>();

  /** Whether the message was not read before; it is now. */
  boolean advance(long source, long offset) {
    Long expected = next.get(source);
    if (expected != null && offset < expected) {
      return false;
    }
    next.put(source, offset + 1);
    return true;
  }

  /** Appends the positions. */
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

  /** What {@link #write} wrote; nothing where an earlier release wrote nothing. */
  static SourcePositions read(BlockInput in) {
    SourcePositions positions = new SourcePositions();
    if (in.remaining() == 0) {
      return positions;
    }
    if (in.takeInt() != FAMILY || in.takeByte() != VERSION) {
      throw in.broken("not the positions of topics, or of a newer release");
    }
    for (int left = in.takeInt(); left > 0; left--) {
      long source = in.takeLong();
      positions.next.put(source, in.takeLong());
    }
    return positions;
  }
}
