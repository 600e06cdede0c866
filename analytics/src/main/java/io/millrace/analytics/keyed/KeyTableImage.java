package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockBuffer;

/** A {@link KeyTable} at one moment, and the way of its entries into bytes. */
final class KeyTableImage implements KeyedImage {
  private final GroupOrder order;
  private final int keyLongs;
  private final int[] hashes;
  private final long[] keys;
  private final long[][] values;

  /** Takes the arrays, which are as long as the table has entries. */
  KeyTableImage(KeyGroups groups, int keyLongs, int[] hashes, long[] keys, long[][] values) {
    this.order = new GroupOrder(groups, hashes);
    this.keyLongs = keyLongs;
    this.hashes = hashes;
    this.keys = keys;
    this.values = values;
  }

  @Override
  public boolean isEmpty(int group) {
    return order.isEmpty(group);
  }

  @Override
  public void write(int group, BlockBuffer out) {
    int[] entries = order.of(group);
    int count = entries.length;
    out.putInt(count);
    out.putByte(keyLongs);
    out.putByte(values.length);
    for (int entry : entries) {
      out.putInt(hashes[entry]);
    }
    long[] column = new long[count];
    for (int part = 0; part < keyLongs; part++) {
      for (int i = 0; i < count; i++) {
        column[i] = keys[entries[i] * keyLongs + part];
      }
      out.putLongs(column, count);
    }
    for (long[] all : values) {
      for (int i = 0; i < count; i++) {
        column[i] = all[entries[i]];
      }
      out.putLongs(column, count);
    }
  }
}
