package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.KeyHash;
import java.util.Arrays;

/**
 * Hash table from keys to counters, as columns: the state of most analyzers.
 *
 * <pre>
 *   index: seeded → entry        entries, without gaps
 *   +---+---+---+---+--          +---+---+---+---+--
 *   | 2 |   | 0 | 1 | …          | hash, seeded      |
 *   +---+---+---+---+--          | key: n longs      |
 *                                | values: m columns |
 *                                +---+---+---+---+--
 * </pre>
 *
 * A key has some {@code long}s, a value some columns of {@code long}; an analyzer may keep more
 * columns in its own arrays by the entry's number, which is stable until a removal. Removal moves
 * the last entry into the gap. Each lookup touches a line of the index, one of the hashes and one
 * of the keys: three cache misses in a table larger than the caches.
 *
 * <p>The caller's hash determines the key group and never changes. So senders may choose keys of
 * equal hash; the index uses a seeded hash against that ({@link KeyHash}).
 *
 * <p>A {@link #snapshot} is a copy of the arrays; the thread that writes it sorts it by key group
 * and packs it. Memory per entry: 8 bytes for the hashes, 8 to 16 for the index and 8 for each
 * {@code long}, plus at most half for growth; a snapshot takes at most twice that and an eighth,
 * and its memory is reused for the next one. At most 2³⁰ entries. Not thread-safe.
 */
public final class KeyTable {
  private static final int FIRST_CAPACITY = 16;
  private static final int MAX_ENTRIES = 1 << 30;

  static final int MAX_TOUCHED = 16;

  private final int keyLongs;
  private final long[][] values;

  private EntryIndex index;

  private int[] hashes;

  /** Hashes with the seed of this process, used by the index. */
  private int[] seeded;

  private long[] keys;
  private int size;

  private final int[] touchedEntries = new int[MAX_TOUCHED];

  /** Keeps the prefetch from being optimised away. */
  @SuppressWarnings("UnusedVariable")
  private long touched;

  /** Incremented when keys or their positions change. */
  private long keysVersion = 1;

  private final EntryMemory memory;

  /**
   * An empty table.
   *
   * @param groups key groups of this subtask
   * @param keyLongs {@code long}s per key, at least 1
   * @param valueColumns {@code long}s per value
   */
  public KeyTable(KeyGroups groups, int keyLongs, int valueColumns) {
    if (keyLongs < 1 || valueColumns < 0) {
      throw new IllegalArgumentException(
          keyLongs + " longs per key and " + valueColumns + " values, expected at least 1 and 0");
    }
    this.keyLongs = keyLongs;
    values = new long[valueColumns][];
    memory = new EntryMemory(groups, keyLongs, valueColumns);
    allocate(FIRST_CAPACITY);
  }

  private void allocate(int capacity) {
    hashes = new int[capacity];
    seeded = new int[capacity];
    keys = new long[capacity * keyLongs];
    for (int i = 0; i < values.length; i++) {
      values[i] = new long[capacity];
    }
    index = new EntryIndex(capacity * 2);
  }

  /** Number of keys; entries are numbered from 0. */
  public int size() {
    return size;
  }

  /** A column of values, by entry; replaced when an entry is added. */
  public long[] values(int column) {
    return values[column];
  }

  /** One of the {@code long}s of an entry's key. */
  public long key(int entry, int part) {
    return keys[entry * keyLongs + part];
  }

  /** Hash of an entry's key. */
  public int hash(int entry) {
    return hashes[entry];
  }

  /** The entry of a key of one {@code long}; −1 if there is none. */
  public int find(int hash, long key) {
    int[] entries = index.entries();
    int mask = entries.length - 1;
    for (int at = (int) KeyHash.of(key) & mask; ; at = (at + 1) & mask) {
      int entry = entries[at];
      if (entry == EntryIndex.FREE || (hashes[entry] == hash && keys[entry] == key)) {
        return entry;
      }
    }
  }

  /** Prefetches lookups of keys of one {@code long}, so that their cache misses overlap. */
  void touch(long[] rows, int stride, int column, int[] order, int from, int until) {
    int[] entries = index.entries();
    int mask = entries.length - 1;
    for (int i = from; i < until; i++) {
      touchedEntries[i - from] = entries[(int) KeyHash.of(rows[order[i] * stride + column]) & mask];
    }
    long sum = 0;
    for (int i = 0; i < until - from; i++) {
      int entry = touchedEntries[i];
      if (entry != EntryIndex.FREE) {
        sum += hashes[entry] + keys[entry];
        for (long[] value : values) {
          sum += value[entry];
        }
      }
    }
    touched = sum;
  }

  /** The entry of a key of two {@code long}s; −1 if there is none. */
  public int find(int hash, long first, long second) {
    int[] entries = index.entries();
    int mask = entries.length - 1;
    for (int at = (int) KeyHash.of(first, second) & mask; ; at = (at + 1) & mask) {
      int entry = entries[at];
      if (entry == EntryIndex.FREE
          || (hashes[entry] == hash && keys[2 * entry] == first && keys[2 * entry + 1] == second)) {
        return entry;
      }
    }
  }

  /** The entry of a key of any number of {@code long}s; −1 if there is none. */
  public int find(int hash, long... key) {
    int[] entries = index.entries();
    int mask = entries.length - 1;
    for (int at = seeded(key, 0) & mask; ; at = (at + 1) & mask) {
      int entry = entries[at];
      if (entry == EntryIndex.FREE || (hashes[entry] == hash && isKey(entry, key))) {
        return entry;
      }
    }
  }

  private boolean isKey(int entry, long[] key) {
    int from = entry * keyLongs;
    return Arrays.equals(keys, from, from + keyLongs, key, 0, keyLongs);
  }

  private int seeded(long[] from, int at) {
    return (int)
        switch (keyLongs) {
          case 1 -> KeyHash.of(from[at]);
          case 2 -> KeyHash.of(from[at], from[at + 1]);
          default -> KeyHash.of(from, at, at + keyLongs);
        };
  }

  /** Returns the entry of a key of one {@code long}, or creates it with values of 0. */
  public int entry(int hash, long key) {
    int entry = find(hash, key);
    if (entry == EntryIndex.FREE) {
      entry = add(hash);
      keys[entry] = key;
      index(entry);
    }
    return entry;
  }

  /** Returns the entry of a key of two {@code long}s, or creates it with values of 0. */
  public int entry(int hash, long first, long second) {
    int entry = find(hash, first, second);
    if (entry == EntryIndex.FREE) {
      entry = add(hash);
      keys[2 * entry] = first;
      keys[2 * entry + 1] = second;
      index(entry);
    }
    return entry;
  }

  /** Returns the entry of a key of any number of {@code long}s, or creates it with values of 0. */
  public int entry(int hash, long... key) {
    int entry = find(hash, key);
    if (entry == EntryIndex.FREE) {
      entry = add(hash);
      System.arraycopy(key, 0, keys, entry * keyLongs, keyLongs);
      index(entry);
    }
    return entry;
  }

  /** Adds an entry; the caller sets its key and adds it to {@link #index}. */
  private int add(int hash) {
    reserve(1);
    keysVersion++;
    hashes[size] = hash;
    return size++;
  }

  private void index(int entry) {
    seeded[entry] = seeded(keys, entry * keyLongs);
    index.add(seeded[entry], entry);
  }

  private void reserve(int more) {
    int needed = Math.addExact(size, more);
    if (needed <= hashes.length) {
      return;
    }
    int capacity = Math.max(needed, hashes.length + hashes.length / 2);
    if (capacity > MAX_ENTRIES || (long) capacity * keyLongs > Integer.MAX_VALUE - 8) {
      throw new IllegalStateException("table full: " + size + " keys in this subtask");
    }
    hashes = Arrays.copyOf(hashes, capacity);
    seeded = Arrays.copyOf(seeded, capacity);
    keys = Arrays.copyOf(keys, capacity * keyLongs);
    for (int i = 0; i < values.length; i++) {
      values[i] = Arrays.copyOf(values[i], capacity);
    }
    index.reserve(capacity, seeded, size);
  }

  /**
   * Removes an entry; the last entry gets its number. So loops that remove entries must run from
   * the last to the first.
   */
  public void remove(int entry) {
    keysVersion++;
    int last = --size;
    index.remove(entry, last, seeded);
    if (entry != last) {
      hashes[entry] = hashes[last];
      seeded[entry] = seeded[last];
      System.arraycopy(keys, last * keyLongs, keys, entry * keyLongs, keyLongs);
      for (long[] column : values) {
        column[entry] = column[last];
      }
    }
    for (long[] column : values) {
      column[last] = 0;
    }
  }

  /** Removes all entries and releases the memory of large tables. */
  public void clear() {
    size = 0;
    keysVersion++;
    memory.clear();
    allocate(FIRST_CAPACITY);
  }

  /**
   * Snapshot of the table: a copy of its arrays, into those of a {@linkplain StateSnapshot#release
   * released} snapshot if there is one.
   */
  public StateSnapshot snapshot() {
    EntryColumns columns = memory.take(size, hashes.length);
    columns.copy(keysVersion, size, hashes, keys, values);
    return new KeyTableSnapshot(memory, columns);
  }

  /**
   * Adds the entries of a group from a {@link #snapshot}, or applies changes to them, which does
   * not preserve the order of entries.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are invalid, or of a table of
   *     another shape
   */
  public void restore(BlockInput in) {
    int count = in.takeInt();
    int longs = in.takeByte();
    int columns = in.takeByte();
    if (longs != keyLongs || columns != values.length) {
      throw in.broken(
          "a table of %d longs per key and %d values, expected %d and %d"
              .formatted(longs, columns, keyLongs, values.length));
    }
    if (count == KeyTableSnapshot.CHANGES) {
      restoreChanges(in);
      return;
    }
    checkCount(count, in);
    reserve(count);
    keysVersion++;
    int first = size;
    for (int i = 0; i < count; i++) {
      hashes[size++] = in.takeInt();
    }
    long[] buffer = new long[count];
    for (int part = 0; part < keyLongs; part++) {
      in.takeLongs(buffer, count);
      for (int i = 0; i < count; i++) {
        keys[(first + i) * keyLongs + part] = buffer[i];
      }
    }
    for (int entry = first; entry < size; entry++) {
      index(entry);
    }
    for (long[] column : values) {
      in.takeLongs(buffer, count);
      System.arraycopy(buffer, 0, column, first, count);
    }
  }

  private static void checkCount(int count, BlockInput in) {
    if (count < 0 || count > in.remaining() / Integer.BYTES) {
      throw in.broken(Integer.toUnsignedString(count) + " entries");
    }
  }

  private void restoreChanges(BlockInput in) {
    for (long[] key : takeKeys(in)) {
      int entry = find((int) key[keyLongs], Arrays.copyOf(key, keyLongs));
      if (entry == EntryIndex.FREE) {
        throw in.broken("a change removes an unknown key");
      }
      remove(entry);
    }
    long[][] set = takeKeys(in);
    int[] entries = new int[set.length];
    for (int i = 0; i < set.length; i++) {
      entries[i] = entry((int) set[i][keyLongs], Arrays.copyOf(set[i], keyLongs));
    }
    long[] buffer = new long[set.length];
    for (int column = 0; column < values.length; column++) {
      in.takeLongs(buffer, set.length);
      for (int i = 0; i < set.length; i++) {
        values[column][entries[i]] = buffer[i];
      }
    }
  }

  private long[][] takeKeys(BlockInput in) {
    int count = in.takeInt();
    checkCount(count, in);
    long[][] taken = new long[count][keyLongs + 1];
    for (long[] key : taken) {
      key[keyLongs] = in.takeInt();
    }
    long[] buffer = new long[count];
    for (int part = 0; part < keyLongs; part++) {
      in.takeLongs(buffer, count);
      for (int i = 0; i < count; i++) {
        taken[i][part] = buffer[i];
      }
    }
    return taken;
  }
}
