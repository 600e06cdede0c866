package io.millrace.analytics.keyed;

import io.millrace.wire.block.BlockBuffer;

/**
 * A {@link KeyTable} at one moment, and the way of its entries into bytes. The columns are brought
 * into the order of the groups when the first group is written; then each group's part of a column
 * lies in one piece.
 */
final class KeyTableImage implements KeyedImage {
  private final GroupOrder order;
  private final int keyLongs;
  private int[] hashes;
  private long[] keys;
  private final long[][] values;
  private boolean isArranged;

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
    arrange();
    int start = order.start(group);
    int count = order.count(group);
    out.putInt(count);
    out.putByte(keyLongs);
    out.putByte(values.length);
    for (int i = start; i < start + count; i++) {
      out.putInt(hashes[i]);
    }
    long[] column = new long[count];
    for (int part = 0; part < keyLongs; part++) {
      for (int i = 0; i < count; i++) {
        column[i] = keys[(start + i) * keyLongs + part];
      }
      out.putLongs(column, count);
    }
    for (long[] all : values) {
      System.arraycopy(all, start, column, 0, count);
      out.putLongs(column, count);
    }
  }

  private void arrange() {
    if (isArranged) {
      return;
    }
    int[] byGroup = new int[hashes.length];
    order.arrange(hashes, byGroup);
    hashes = byGroup;
    long[] free = new long[keys.length]; // each column moves into the array of the one before
    order.arrange(keys, keyLongs, free);
    long[] before = keys;
    keys = free;
    for (int i = 0; i < values.length; i++) {
      order.arrange(values[i], 1, before);
      long[] column = values[i];
      values[i] = before;
      before = column;
    }
    isArranged = true;
  }
}
