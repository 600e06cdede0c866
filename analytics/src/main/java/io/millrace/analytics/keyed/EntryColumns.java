package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import java.util.Arrays;

/**
 * Columns of a snapshot: hashes, keys and values. They are sorted by key group at the first access;
 * then each group's part of a column is contiguous.
 *
 * <p>While the keys equal those of the previous snapshot, their order is reused, and neither they
 * nor their hashes are copied again. Memory per entry with a key of one {@code long} and two
 * values: 52 bytes, of which 28 for the copy, 4 for the order, and again as much for hashes, keys
 * and a column; plus an eighth for growth. Not thread-safe.
 */
final class EntryColumns {
  private static final long[] NONE = {};

  private final GroupOrder order;
  private final int keyLongs;
  private final int capacity;
  private final long[][] values;

  private int size;
  private long keysVersion;
  private boolean isKeysArranged;
  private boolean isArranged;
  private int[] hashes;
  private long[] keys;

  private int[] freeHashes;

  private long[] freeKeys;
  private long[] freeColumn;

  EntryColumns(KeyGroups groups, int keyLongs, int columns, int capacity) {
    order = new GroupOrder(groups, new int[0]);
    this.keyLongs = keyLongs;
    this.capacity = capacity;
    values = new long[columns][];
  }

  boolean fits(int size) {
    return size <= capacity && size >= capacity / 4;
  }

  int capacity() {
    return capacity;
  }

  /** Copies a table. {@code version} changes whenever the keys change; 0 if unknown. */
  void copy(long version, int size, int[] fromHashes, long[] fromKeys, long[][] fromValues) {
    if (version == 0 || version != keysVersion || !isKeysArranged) {
      hashes = copy(fromHashes, hashes, size);
      keys = keyLongs == 0 ? NONE : copy(fromKeys, keys, size, keyLongs);
      order.reset(hashes, size);
      keysVersion = version;
      isKeysArranged = false;
    }
    for (int i = 0; i < values.length; i++) {
      values[i] = copy(fromValues[i], values[i], size, 1);
    }
    this.size = size;
    isArranged = false;
  }

  void prepare(int size) {
    hashes = hashes == null ? new int[capacity] : hashes;
    keys = NONE;
    for (int i = 0; i < values.length; i++) {
      values[i] = values[i] == null ? new long[capacity] : values[i];
    }
    this.size = size;
  }

  void arrangeLater() {
    order.reset(hashes, size);
    isKeysArranged = false;
    isArranged = false;
  }

  /** The copy allocates a new array, so that it is not cleared first. */
  private int[] copy(int[] from, int[] to, int size) {
    if (to == null) {
      return Arrays.copyOf(from, capacity);
    }
    System.arraycopy(from, 0, to, 0, size);
    return to;
  }

  private long[] copy(long[] from, long[] to, int size, int longs) {
    if (to == null) {
      return Arrays.copyOf(from, capacity * longs);
    }
    System.arraycopy(from, 0, to, 0, size * longs);
    return to;
  }

  int count(int group) {
    return order.count(group);
  }

  int start(int group) {
    arrange();
    return order.start(group);
  }

  int[] hashes() {
    return hashes;
  }

  long[] keys() {
    return keys;
  }

  long[] values(int column) {
    return values[column];
  }

  int keyLongs() {
    return keyLongs;
  }

  int columns() {
    return values.length;
  }

  void write(int group, BlockBuffer out) {
    int start = start(group);
    int count = count(group);
    out.putInts(hashes, start, count);
    if (keyLongs == 1) {
      out.putLongs(keys, start, count);
    } else if (keyLongs > 1) {
      long[] part = new long[count];
      for (int i = 0; i < keyLongs; i++) {
        for (int entry = 0, at = start * keyLongs + i; entry < count; entry++, at += keyLongs) {
          part[entry] = keys[at];
        }
        out.putLongs(part, 0, count);
      }
    }
    for (long[] column : values) {
      out.putLongs(column, start, count);
    }
  }

  boolean isSameKey(int place, EntryColumns other, int otherPlace) {
    if (hashes[place] != other.hashes[otherPlace]) {
      return false;
    }
    for (int i = 0; i < keyLongs; i++) {
      if (keys[place * keyLongs + i] != other.keys[otherPlace * keyLongs + i]) {
        return false;
      }
    }
    return true;
  }

  boolean isSameValues(int place, EntryColumns other, int otherPlace) {
    for (int i = 0; i < values.length; i++) {
      if (values[i][place] != other.values[i][otherPlace]) {
        return false;
      }
    }
    return true;
  }

  void writeKeys(int[] places, BlockBuffer out) {
    for (int place : places) {
      out.putInt(hashes[place]);
    }
    long[] part = new long[places.length];
    for (int i = 0; i < keyLongs; i++) {
      for (int entry = 0; entry < places.length; entry++) {
        part[entry] = keys[places[entry] * keyLongs + i];
      }
      out.putLongs(part, places.length);
    }
  }

  void writeValues(int[] places, BlockBuffer out) {
    long[] part = new long[places.length];
    for (long[] column : values) {
      for (int entry = 0; entry < places.length; entry++) {
        part[entry] = column[places[entry]];
      }
      out.putLongs(part, places.length);
    }
  }

  private void arrange() {
    if (isArranged) {
      return;
    }
    if (!isKeysArranged) {
      arrangeKeys();
    }
    if (values.length > 0 && freeColumn == null) {
      freeColumn = new long[capacity];
    }
    for (int i = 0; i < values.length; i++) {
      long[] column = values[i];
      order.arrange(column, 1, freeColumn);
      values[i] = freeColumn;
      freeColumn = column;
    }
    isArranged = true;
  }

  private void arrangeKeys() {
    if (freeHashes == null) {
      freeHashes = new int[capacity];
      freeKeys = new long[capacity * keyLongs];
    }
    int[] unsorted = hashes;
    order.arrange(unsorted, freeHashes);
    hashes = freeHashes;
    freeHashes = unsorted;
    if (keyLongs > 0) {
      long[] column = keys;
      order.arrange(column, keyLongs, freeKeys);
      keys = freeKeys;
      freeKeys = column;
    }
    isKeysArranged = true;
  }
}
