package io.millrace.store.duckdb.schema;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * A map from {@code long} to {@code long} by open addressing, without removal: one thread at a time
 * adds, any number read concurrently without a lock. A reader sees each pair whole or not yet. For
 * keys that no client chooses: ids, which follow from files, and hashes under a secret seed.
 */
final class LongMap {
  static final long NONE = Long.MIN_VALUE;

  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;
  private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] keys;
  private final long[] values;
  private int size;

  LongMap(int slots) {
    keys = new long[slots];
    values = new long[slots];
    Arrays.fill(values, NONE);
  }

  int size() {
    return size;
  }

  long get(long key, long otherwise) {
    int mask = keys.length - 1;
    for (int i = slot(key, mask); ; i = (i + 1) & mask) {
      long value = (long) VALUE.getAcquire(values, i);
      if (value == NONE) {
        return otherwise;
      }
      if (keys[i] == key) {
        return value;
      }
    }
  }

  LongMap with(long key, long value) {
    if (size * 3L < keys.length * 2L) {
      put(key, value);
      return this;
    }
    LongMap larger = new LongMap(keys.length * 2);
    for (int i = 0; i < keys.length; i++) {
      if (values[i] != NONE) {
        larger.put(keys[i], values[i]);
      }
    }
    larger.put(key, value);
    return larger;
  }

  private void put(long key, long value) {
    int mask = keys.length - 1;
    int i = slot(key, mask);
    while (values[i] != NONE && keys[i] != key) {
      i = (i + 1) & mask;
    }
    if (values[i] == NONE) {
      size++;
    }
    keys[i] = key;
    VALUE.setRelease(values, i, value);
  }

  private static int slot(long key, int mask) {
    long mixed = key * MIX;
    return (int) (mixed ^ mixed >>> Integer.SIZE) & mask;
  }
}
