package io.millrace.store.duckdb.schema;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Map from {@code long} to {@code long}: open addressing, no removal. One thread adds; any number
 * read concurrently without a lock, and see each pair whole or not at all. Clients must not be able
 * to choose keys: ids follow from files, and hashes have a secret seed.
 */
public final class LongMap {
  static final long NONE = Long.MIN_VALUE;

  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;
  private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);

  /** Each key is followed by its value, so that a look-up reads one cache line. */
  private final long[] pairs;

  private int size;
  private long least = Long.MAX_VALUE;
  private long greatest = Long.MIN_VALUE;

  /** Creates an empty map; {@code slots} is a power of two. */
  public LongMap(int slots) {
    pairs = new long[2 * slots];
    for (int i = 1; i < pairs.length; i += 2) {
      pairs[i] = NONE;
    }
  }

  int size() {
    return size;
  }

  /** Whether the map may have a key in a range, both ends included. */
  boolean mayHave(long from, long to) {
    return from <= greatest && to >= least;
  }

  long get(long key, long otherwise) {
    int mask = pairs.length - 2;
    for (int i = slot(key, mask); ; i = (i + 2) & mask) {
      long value = (long) VALUE.getAcquire(pairs, i + 1);
      if (value == NONE) {
        return otherwise;
      }
      if (pairs[i] == key) {
        return value;
      }
    }
  }

  /** Replaces the first {@code n} keys with their values, in place; keys without a value stay. */
  public void replace(long[] ids, int n) {
    long from = Long.MAX_VALUE;
    long to = Long.MIN_VALUE;
    for (int i = 0; i < n; i++) {
      from = Math.min(from, ids[i]);
      to = Math.max(to, ids[i]);
    }
    if (mayHave(from, to)) {
      for (int i = 0; i < n; i++) {
        ids[i] = get(ids[i], ids[i]);
      }
    }
  }

  /** Adds a pair to this map or to a larger copy; returns the map to use. */
  public LongMap with(long key, long value) {
    if (size * 6L < pairs.length * 2L) {
      put(key, value);
      return this;
    }
    LongMap larger = new LongMap(pairs.length);
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i + 1] != NONE) {
        larger.put(pairs[i], pairs[i + 1]);
      }
    }
    larger.put(key, value);
    return larger;
  }

  private void put(long key, long value) {
    int mask = pairs.length - 2;
    int i = slot(key, mask);
    while (pairs[i + 1] != NONE && pairs[i] != key) {
      i = (i + 2) & mask;
    }
    if (pairs[i + 1] == NONE) {
      size++;
    }
    least = Math.min(least, key);
    greatest = Math.max(greatest, key);
    pairs[i] = key;
    VALUE.setRelease(pairs, i + 1, value);
  }

  private static int slot(long key, int mask) {
    long mixed = key * MIX;
    return (int) (mixed ^ mixed >>> Integer.SIZE) & mask; // the mask makes it even
  }
}
