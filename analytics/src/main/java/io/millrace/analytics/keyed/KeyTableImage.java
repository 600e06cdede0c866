package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockBuffer;

/** A {@link KeyTable} at one moment, and the way of its entries into bytes. */
final class KeyTableImage extends EntryImage {
  KeyTableImage(EntryMemory memory, EntryColumns columns) {
    super(memory, columns);
  }

  @Override
  void write(int group, EntryColumns columns, BlockBuffer out) {
    out.putInt(columns.count(group));
    out.putByte(columns.keyLongs());
    out.putByte(columns.columns());
    columns.write(group, out);
  }
}
