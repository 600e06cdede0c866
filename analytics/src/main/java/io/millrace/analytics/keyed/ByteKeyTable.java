package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.KeyHash;
import java.util.Arrays;

/**
 * Hash table from keys of any type to counters, as columns; {@link KeyTable} is the table for keys
 * of {@code long}s.
 *
 * <pre>
 *   index: hash → entry          entries, without gaps        bytes of all keys
 *   +---+---+---+---+--          +---+---+---+---+--          +---------+-----+--------+--
 *   | 2 |   | 0 | 1 | …          | hash              |    ┌──→ | DE 443  | US… | DE 80  | …
 *   +---+---+---+---+--          | where, how long  ─┼────┘   +---------+-----+--------+--
 *                                | values: m columns |
 *                                +---+---+---+---+--
 * </pre>
 *
 * Bytes of keys are append-only, and are compacted into a copy when half of them belong to removed
 * keys. So existing bytes do not change, and a {@link #snapshot} copies the entries and shares the
 * bytes.
 *
 * <p>Memory per entry: 28 bytes, 8 for each column, its key, and at most as much again for removed
 * keys; snapshots cost as for a {@link KeyTable}. At most 2³⁰ entries and 2 GB of keys. Callers
 * must bound the length and number of keys from untrusted input; the index is seeded against chosen
 * collisions ({@link KeyHash}). Not thread-safe.
 */
public final class ByteKeyTable {
  private static final int FIRST_CAPACITY = 16;
  private static final int FIRST_BYTES = 256;
  private static final int MAX_ENTRIES = 1 << 30;
  private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

  private final long[][] values;
  private final EntryMemory memory;
  private EntryIndex index;
  private int[] hashes;

  /** Hashes with the seed of this process, used by the index. */
  private int[] seeded;

  /** Offset (upper half) and length (lower half) of each entry's key. */
  private long[] places;

  private int size;
  private byte[] bytes;
  private int used;
  private int wasted;

  /** Incremented when keys or their positions change. */
  private long keysVersion = 1;

  /** Incremented when bytes move, which invalidates offsets. */
  private long generation;

  /**
   * An empty table.
   *
   * @param groups key groups of this subtask
   * @param valueColumns number of {@code long}s per key
   */
  public ByteKeyTable(KeyGroups groups, int valueColumns) {
    if (valueColumns < 0 || valueColumns > 255) {
      throw new IllegalArgumentException(valueColumns + " values: 0 to 255");
    }
    values = new long[valueColumns][];
    memory = new EntryMemory(groups, 1, valueColumns);
    allocate();
  }

  private void allocate() {
    hashes = new int[FIRST_CAPACITY];
    seeded = new int[FIRST_CAPACITY];
    places = new long[FIRST_CAPACITY];
    for (int i = 0; i < values.length; i++) {
      values[i] = new long[FIRST_CAPACITY];
    }
    index = new EntryIndex(FIRST_CAPACITY * 2);
    bytes = new byte[FIRST_BYTES];
    used = 0;
    wasted = 0;
    generation++;
  }

  static int start(long place) {
    return (int) (place >>> 32);
  }

  static int length(long place) {
    return (int) place;
  }

  /** Number of keys; entries are numbered from 0. */
  public int size() {
    return size;
  }

  /** A column of values, by entry; replaced when an entry is added. */
  public long[] values(int column) {
    return values[column];
  }

  /** Hash of an entry's key. */
  public int hash(int entry) {
    return hashes[entry];
  }

  /** Length of an entry's key in bytes. */
  public int keyLength(int entry) {
    return length(places[entry]);
  }

  /** Copies an entry's key into {@code key} and returns it. */
  public KeyBytes key(int entry, KeyBytes key) {
    key.set(bytes, start(places[entry]), length(places[entry]));
    return key;
  }

  /**
   * Hash of a key in the index, with a seed of this process. For callers that hash keys once and
   * also {@link #touch} them.
   */
  public static int indexHash(byte[] source, int offset, int length) {
    return (int) KeyHash.of(source, offset, offset + length);
  }

  /** The entry of a key; −1 if there is none. */
  public int find(KeyBytes key) {
    return find(indexHash(key.bytes(), 0, key.length()), key.bytes(), 0, key.length());
  }

  /** The entry with the same key as an entry of another table; −1 if there is none. */
  public int find(ByteKeyTable other, int entry) {
    long place = other.places[entry];
    return find(other.seeded[entry], other.bytes, start(place), length(place));
  }

  /**
   * The entry of a key; −1 if there is none.
   *
   * @param indexHash of the key
   * @param source contains the key's bytes at {@code offset}
   */
  public int find(int indexHash, byte[] source, int offset, int length) {
    int[] entries = index.entries();
    int mask = entries.length - 1;
    for (int at = indexHash & mask; ; at = (at + 1) & mask) {
      int entry = entries[at];
      if (entry == EntryIndex.FREE
          || (seeded[entry] == indexHash && isKey(places[entry], source, offset, length))) {
        return entry;
      }
    }
  }

  private boolean isKey(long place, byte[] source, int offset, int length) {
    int start = start(place);
    return length(place) == length
        && Arrays.equals(bytes, start, start + length, source, offset, offset + length);
  }

  /**
   * Prefetches the memory of lookups, so that the cache misses of several keys overlap. Call it
   * before the lookup of some dozen keys.
   *
   * @param indexHashes of the keys
   * @param from first index
   * @param to end index, exclusive
   * @return a value that must be used so that the reads are not optimised away
   */
  public int touch(int[] indexHashes, int from, int to) {
    int[] entries = index.entries();
    int mask = entries.length - 1;
    int read = 0;
    for (int i = from; i < to; i++) {
      int entry = entries[indexHashes[i] & mask];
      if (entry != EntryIndex.FREE) {
        int at = start(places[entry]);
        read += seeded[entry] + (at < used ? bytes[at] : 0); // an empty key may begin at the end
        if (values.length > 0) {
          read += (int) values[0][entry];
        }
      }
    }
    return read;
  }

  /** Prefetches the keys of another table's entries. */
  public int touch(ByteKeyTable other, int from, int to) {
    return touch(other.seeded, from, to);
  }

  /** Returns the entry of a key, or creates it with values of 0. */
  public int entry(KeyBytes key) {
    int indexHash = indexHash(key.bytes(), 0, key.length());
    int entry = find(indexHash, key.bytes(), 0, key.length());
    return entry == EntryIndex.FREE
        ? add(key.hash(), indexHash, key.bytes(), 0, key.length())
        : entry;
  }

  /** Returns the entry of another table's key, or creates it. */
  public int entry(ByteKeyTable other, int entry) {
    long place = other.places[entry];
    return entry(
        other.hashes[entry], other.seeded[entry], other.bytes, start(place), length(place));
  }

  /**
   * Returns the entry of a key, or creates it with values of 0.
   *
   * @param hash of the key, which determines its group: see {@link KeyBytes#hash}
   * @param indexHash of the key
   * @param source contains the key's bytes at {@code offset}
   */
  public int entry(int hash, int indexHash, byte[] source, int offset, int length) {
    int entry = find(indexHash, source, offset, length);
    return entry == EntryIndex.FREE ? add(hash, indexHash, source, offset, length) : entry;
  }

  private int add(int hash, int indexHash, byte[] source, int offset, int length) {
    reserve(1);
    reserveBytes(length);
    keysVersion++;
    hashes[size] = hash;
    seeded[size] = indexHash;
    places[size] = (long) used << 32 | length;
    System.arraycopy(source, offset, bytes, used, length);
    used += length;
    index.add(indexHash, size);
    return size++;
  }

  private void reserve(int more) {
    int needed = Math.addExact(size, more);
    if (needed <= hashes.length) {
      return;
    }
    int capacity = Math.max(needed, hashes.length * 2);
    if (capacity > MAX_ENTRIES) {
      throw new IllegalStateException("table full: " + size + " keys in this subtask");
    }
    hashes = Arrays.copyOf(hashes, capacity);
    seeded = Arrays.copyOf(seeded, capacity);
    places = Arrays.copyOf(places, capacity);
    for (int i = 0; i < values.length; i++) {
      values[i] = Arrays.copyOf(values[i], capacity);
    }
    index.reserve(capacity, seeded, size);
  }

  private void reserveBytes(int more) {
    long needed = (long) used + more;
    if (needed <= bytes.length) {
      return;
    }
    if (needed > MAX_BYTES) {
      throw new IllegalStateException("table full: " + used + " bytes of keys in this subtask");
    }
    bytes = Arrays.copyOf(bytes, (int) Math.min(MAX_BYTES, Math.max(needed, bytes.length * 2L)));
  }

  /**
   * Removes an entry; the last entry gets its number. So loops that remove entries must run from
   * the last to the first.
   */
  public void remove(int entry) {
    keysVersion++;
    wasted += length(places[entry]);
    int last = --size;
    index.remove(entry, last, seeded);
    hashes[entry] = hashes[last];
    seeded[entry] = seeded[last];
    places[entry] = places[last];
    for (long[] column : values) {
      column[entry] = column[last];
      column[last] = 0;
    }
    if (wasted > FIRST_BYTES && wasted > used / 2) {
      compact();
    }
  }

  private void compact() {
    byte[] kept = new byte[Math.max(FIRST_BYTES, used - wasted)];
    int at = 0;
    for (int entry = 0; entry < size; entry++) {
      int length = length(places[entry]);
      System.arraycopy(bytes, start(places[entry]), kept, at, length);
      places[entry] = (long) at << 32 | length;
      at += length;
    }
    bytes = kept;
    used = at;
    wasted = 0;
    generation++;
  }

  /** Removes all entries and keeps their memory for reuse; snapshots keep their keys. */
  public void reset() {
    for (long[] column : values) {
      Arrays.fill(column, 0, size, 0);
    }
    Arrays.fill(index.entries(), EntryIndex.FREE);
    size = 0;
    keysVersion++;
    bytes = new byte[bytes.length];
    used = 0;
    wasted = 0;
    generation++;
  }

  /** Removes all entries and releases the memory of large tables. */
  public void clear() {
    size = 0;
    keysVersion++;
    memory.clear();
    allocate();
  }

  /** Snapshot of the table: a copy of its arrays, except the immutable bytes of keys. */
  public StateSnapshot snapshot() {
    EntryColumns columns = memory.take(size, hashes.length);
    columns.copy(keysVersion, size, hashes, places, values);
    return new ByteKeyTableSnapshot(memory, columns, bytes, generation);
  }

  /**
   * Adds the entries of a group from a {@link #snapshot}, or applies changes to them, which does
   * not preserve the order of entries.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are invalid, of a newer
   *     release, or of a table with other values
   */
  public void restore(BlockInput in) {
    int kind = in.takeByte();
    int version = in.takeByte();
    int columns = in.takeByte();
    if (version != ByteKeyTableSnapshot.VERSION || columns != values.length) {
      throw in.broken(
          "a table of version %d with %d values, expected version %d and %d values"
              .formatted(version, columns, ByteKeyTableSnapshot.VERSION, values.length));
    }
    if (kind == ByteKeyTableSnapshot.CHANGES) {
      for (int entry : restoreKeys(in, false)) {
        remove(entry);
      }
    } else if (kind != ByteKeyTableSnapshot.ALL) {
      throw in.broken("unknown kind of table: " + kind);
    }
    int[] set = restoreKeys(in, true);
    long[] buffer = new long[set.length];
    for (long[] column : values) {
      in.takeLongs(buffer, set.length);
      for (int i = 0; i < set.length; i++) {
        column[set[i]] = buffer[i];
      }
    }
  }

  /** Reads keys and returns their entries; in descending order if the keys must exist. */
  private int[] restoreKeys(BlockInput in, boolean made) {
    int count = in.takeInt();
    if (count < 0 || count > in.remaining() / (2 * Integer.BYTES)) {
      throw in.broken(Integer.toUnsignedString(count) + " keys");
    }
    int[] hash = new int[count];
    int[] length = new int[count];
    Arrays.setAll(hash, i -> in.takeInt());
    Arrays.setAll(length, i -> in.takeInt());
    int[] entries = new int[count];
    for (int i = 0; i < count; i++) {
      int at = in.take(length[i]);
      int indexHash = indexHash(in.bytes(), at, length[i]);
      entries[i] =
          made
              ? entry(hash[i], indexHash, in.bytes(), at, length[i])
              : find(indexHash, in.bytes(), at, length[i]);
      if (entries[i] == EntryIndex.FREE) {
        throw in.broken("a change removes an unknown key");
      }
    }
    if (!made) {
      Arrays.sort(entries);
      for (int i = 0; i < count / 2; i++) {
        int entry = entries[i];
        entries[i] = entries[count - 1 - i];
        entries[count - 1 - i] = entry;
      }
    }
    return entries;
  }
}
