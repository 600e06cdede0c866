package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockBuffer;
import java.util.stream.IntStream;

/**
 * Snapshot of a {@link ByteKeyTable}, and its format. The entries' keys are their offsets in the
 * table's bytes, which are immutable.
 *
 * <pre>
 *   0      1         2         3
 *   +------+---------+---------+------+--------+
 *   |  0   | version | columns | keys | values |           all of a group
 *   +------+---------+---------+------+--------+
 *   +------+---------+---------+------+------+--------+
 *   |  1   | version | columns | gone | keys | values |    changes
 *   +------+---------+---------+------+------+--------+
 *
 *   keys, gone: number (4 bytes), hashes (4 each), lengths (4 each), bytes
 * </pre>
 */
final class ByteKeyTableSnapshot extends EntrySnapshot {
  static final int ALL = 0;
  static final int CHANGES = 1;
  static final int VERSION = 1;

  private final byte[] bytes;
  private final long generation;

  ByteKeyTableSnapshot(EntryMemory memory, EntryColumns columns, byte[] bytes, long generation) {
    super(memory, columns);
    this.bytes = bytes;
    this.generation = generation;
  }

  @Override
  public boolean hasChangesSince(StateSnapshot before) {
    return super.hasChangesSince(before)
        && ((ByteKeyTableSnapshot) before).generation == generation;
  }

  @Override
  void write(int group, EntryColumns columns, BlockBuffer out) {
    int start = columns.start(group);
    int[] entries = IntStream.range(start, start + columns.count(group)).toArray();
    begin(ALL, columns, out);
    writeKeys(entries, columns, out);
    columns.writeValues(entries, out);
  }

  @Override
  boolean writeChanges(int group, EntryColumns columns, EntryColumns before, BlockBuffer out) {
    EntryChanges changes = EntryChanges.of(group, before, columns);
    begin(CHANGES, columns, out);
    writeKeys(changes.gone(), before, out);
    writeKeys(changes.set(), columns, out);
    columns.writeValues(changes.set(), out);
    return !changes.isNone();
  }

  private static void begin(int kind, EntryColumns columns, BlockBuffer out) {
    out.putByte(kind);
    out.putByte(VERSION);
    out.putByte(columns.columns());
  }

  private void writeKeys(int[] entries, EntryColumns columns, BlockBuffer out) {
    out.putInt(entries.length);
    for (int entry : entries) {
      out.putInt(columns.hashes()[entry]);
    }
    for (int entry : entries) {
      out.putInt(ByteKeyTable.length(columns.keys()[entry]));
    }
    for (int entry : entries) {
      long place = columns.keys()[entry];
      out.put(bytes, ByteKeyTable.start(place), ByteKeyTable.length(place));
    }
  }
}
