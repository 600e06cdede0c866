package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockBuffer;

/**
 * Snapshot of a {@link KeyTable}, and its format.
 *
 * <pre>
 *   0         4      5         6
 *   +---------+------+---------+--------+------+--------+
 *   | entries | key  | columns | hashes | keys | values |                          all of a group
 *   +---------+------+---------+--------+------+--------+
 *   +---------+------+---------+---------+--------+------+---------+--------+------+--------+
 *   |   −1    | key  | columns | removed | hashes | keys | entries | hashes | keys | values |   changes
 *   +---------+------+---------+---------+--------+------+---------+--------+------+--------+
 * </pre>
 */
final class KeyTableSnapshot extends EntrySnapshot {
  static final int CHANGES = -1;

  KeyTableSnapshot(EntryMemory memory, EntryColumns columns) {
    super(memory, columns);
  }

  @Override
  void write(int group, EntryColumns columns, BlockBuffer out) {
    out.putInt(columns.count(group));
    out.putByte(columns.keyLongs());
    out.putByte(columns.columns());
    columns.write(group, out);
  }

  @Override
  boolean writeChanges(int group, EntryColumns columns, EntryColumns before, BlockBuffer out) {
    EntryChanges changes = EntryChanges.of(group, before, columns);
    out.putInt(CHANGES);
    out.putByte(columns.keyLongs());
    out.putByte(columns.columns());
    out.putInt(changes.gone().length);
    before.writeKeys(changes.gone(), out);
    out.putInt(changes.set().length);
    columns.writeKeys(changes.set(), out);
    columns.writeValues(changes.set(), out);
    return !changes.isNone();
  }
}
