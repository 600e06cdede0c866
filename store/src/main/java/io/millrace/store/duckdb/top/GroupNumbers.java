package io.millrace.store.duckdb.top;

import io.millrace.store.query.GroupKeys;
import io.millrace.wire.block.KeyHash;
import java.util.Arrays;

/**
 * Numbers groups by {@linkplain GroupKeys keys} from 0, in the order of their addition. An
 * open-addressing hash table. Not thread-safe.
 */
final class GroupNumbers {
  private static final int FIRST_SLOTS = 1 << 10;

  private final int longs;
  private long[] keys;
  private int[] slots = new int[FIRST_SLOTS]; // number + 1, or 0
  private int size;

  GroupNumbers(int longs) {
    this.longs = longs;
    keys = new long[FIRST_SLOTS / 2 * longs];
  }

  int size() {
    return size;
  }

  long bytes() {
    return (long) keys.length * Long.BYTES + (long) slots.length * Integer.BYTES;
  }

  int find(long[] key) {
    return slots[slot(key)] - 1;
  }

  int number(long[] key) {
    int slot = slot(key);
    if (slots[slot] > 0) {
      return slots[slot] - 1;
    }
    if ((size + 1) * 2 > slots.length) {
      grow();
      slot = slot(key);
    }
    System.arraycopy(key, 0, keys, size * longs, longs);
    slots[slot] = ++size;
    return size - 1;
  }

  void key(int number, long[] out) {
    System.arraycopy(keys, number * longs, out, 0, longs);
  }

  private int slot(long[] key) {
    int mask = slots.length - 1;
    for (int i = hash(key, 0) & mask; ; i = (i + 1) & mask) {
      int number = slots[i] - 1;
      if (number < 0) {
        return i;
      }
      int at = number * longs;
      if (Arrays.equals(keys, at, at + longs, key, 0, longs)) {
        return i;
      }
    }
  }

  private int hash(long[] from, int at) {
    return (int) KeyHash.of(from, at, at + longs);
  }

  private void grow() {
    keys = Arrays.copyOf(keys, Math.multiplyExact(slots.length, longs));
    slots = new int[Math.multiplyExact(slots.length, 2)];
    int mask = slots.length - 1;
    for (int number = 0; number < size; number++) {
      int i = hash(keys, number * longs) & mask;
      while (slots[i] > 0) {
        i = (i + 1) & mask;
      }
      slots[i] = number + 1;
    }
  }
}
