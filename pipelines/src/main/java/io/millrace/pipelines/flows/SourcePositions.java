package io.millrace.pipelines.flows;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Map;
import java.util.TreeMap;

/**
 * Positions of external topics up to which messages were read from one partition of the log: makes
 * rows of a duplicated message only once.
 *
 * <p>A bridge writes the messages of a source in order, and restarts from the first unconfirmed
 * one. So a message is new exactly if its offset is not less than the next expected one.
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

  /** Parses what {@link #write} wrote; empty for state of an earlier release. */
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
