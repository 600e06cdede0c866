package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.KeyHash;
import java.util.Arrays;

/**
 * A table from keys of any kind to counters, as columns: what a {@link KeyTable} is for keys of
 * {@code long}s.
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
 * Bytes of keys are only ever added behind the others, and what removed keys leave is given up by a
 * copy of the rest when it is half of all. So bytes that are there do not change, and an {@link
 * #snapshot} copies the entries and shares the bytes.
 *
 * <p>28 bytes and 8 for each column an entry, its key, and for what was removed as much again at
 * most; a snapshot as of a {@link KeyTable}. At most 2³⁰ entries and 2 GB of keys. Whoever makes
 * keys of what strangers send bounds their length and number; which places their keys take is not
 * theirs to choose ({@link KeyHash}). Not thread-safe.
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

  /** Hashes of the keys in this process alone, by which the index has them. */
  private int[] seeded;

  /** Of each entry where its key begins (upper half) and how long it is (lower half). */
  private long[] places;

  private int size;
  private byte[] bytes;
  private int used;
  private int wasted;

  /** Another one after each change of the keys or their places. */
  private long keysVersion = 1;

  /** Another one when bytes have moved: a place means something only within one. */
  private long generation;

  /**
   * An empty table.
   *
   * @param groups whose keys come to this subtask
   * @param valueColumns {@code long}s that belong to a key
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

  /** Number of keys; entries are numbered from 0 to one less. */
  public int size() {
    return size;
  }

  /** A column of values, by entry; another array after an entry was added. */
  public long[] values(int column) {
    return values[column];
  }

  /** Hash of an entry's key. */
  public int hash(int entry) {
    return hashes[entry];
  }

  /** Bytes of an entry's key. */
  public int keyLength(int entry) {
    return length(places[entry]);
  }

  /** An entry's key, to be taken apart; filled anew and given back. */
  public KeyBytes key(int entry, KeyBytes key) {
    key.set(bytes, start(places[entry]), length(places[entry]));
    return key;
  }

  /**
   * By what the index finds a key: a hash that is another one in each process. Who knows it of many
   * keys can {@link #touch} them, and has it made once.
   */
  public static int indexHash(byte[] source, int offset, int length) {
    return (int) KeyHash.of(source, offset, offset + length);
  }

  /** The entry of a key; −1 if there is none. */
  public int find(KeyBytes key) {
    return find(indexHash(key.bytes(), 0, key.length()), key.bytes(), 0, key.length());
  }

  /** The entry of the key that an entry of another table has; −1 if there is none. */
  public int find(ByteKeyTable other, int entry) {
    long place = other.places[entry];
    return find(other.seeded[entry], other.bytes, start(place), length(place));
  }

  /**
   * The entry of a key; −1 if there is none.
   *
   * @param indexHash of the key
   * @param source has the key's bytes from {@code offset} on
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
   * Brings what look-ups will read into the caches. A look-up waits for one line after the other;
   * here those of several keys are on their way at once. For some dozen keys, before they are
   * looked up.
   *
   * @param indexHashes of the keys
   * @param from the first of them
   * @param to behind the last
   * @return nothing of use, but what has to be used so that the reading is not left out
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

  /** The same for the keys of another table's entries. */
  public int touch(ByteKeyTable other, int from, int to) {
    return touch(other.seeded, from, to);
  }

  /** The entry of a key, made with values of 0 if there was none. */
  public int entry(KeyBytes key) {
    int indexHash = indexHash(key.bytes(), 0, key.length());
    int entry = find(indexHash, key.bytes(), 0, key.length());
    return entry == EntryIndex.FREE
        ? add(key.hash(), indexHash, key.bytes(), 0, key.length())
        : entry;
  }

  /** The entry of the key that an entry of another table has, made if there was none. */
  public int entry(ByteKeyTable other, int entry) {
    long place = other.places[entry];
    return entry(
        other.hashes[entry], other.seeded[entry], other.bytes, start(place), length(place));
  }

  /**
   * The entry of a key, made with values of 0 if there was none.
   *
   * @param hash of the key, by which its group is told: as of {@link KeyBytes#hash}
   * @param indexHash of the key
   * @param source has the key's bytes from {@code offset} on
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
      throw new IllegalStateException("a table of more than " + size + " keys a subtask");
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
      throw new IllegalStateException("keys of more than " + used + " bytes a subtask");
    }
    bytes = Arrays.copyOf(bytes, (int) Math.min(MAX_BYTES, Math.max(needed, bytes.length * 2L)));
  }

  /**
   * Removes an entry; the last one takes its number. So who walks over the entries and removes some
   * walks from the last to the first.
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

  /** Copies the bytes of the keys that are left; snapshots keep those that they have. */
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

  /** Removes all entries and keeps their memory, for as many again; snapshots keep their keys. */
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

  /** Removes all entries and gives the memory of many back. */
  public void clear() {
    size = 0;
    keysVersion++;
    memory.clear();
    allocate();
  }

  /**
   * The table as it is now: a copy of its arrays, but for the bytes of keys, which do not change.
   */
  public StateSnapshot snapshot() {
    EntryColumns columns = memory.take(size, hashes.length);
    columns.copy(keysVersion, size, hashes, places, values);
    return new ByteKeyTableSnapshot(memory, columns, bytes, generation);
  }

  /**
   * Adds the entries that an {@link #snapshot} wrote for a group, or makes the changes that it
   * wrote on top of those; then the entries do not keep their order.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are none, of a newer release,
   *     or of a table of other values
   */
  public void restore(BlockInput in) {
    int kind = in.takeByte();
    int version = in.takeByte();
    int columns = in.takeByte();
    if (version != ByteKeyTableSnapshot.VERSION || columns != values.length) {
      throw in.broken(
          ("a table of version " + version + " with " + columns + " values, where version ")
              + (ByteKeyTableSnapshot.VERSION + " and " + values.length + " are expected"));
    }
    if (kind == ByteKeyTableSnapshot.CHANGES) {
      for (int entry : restoreKeys(in, false)) {
        remove(entry);
      }
    } else if (kind != ByteKeyTableSnapshot.ALL) {
      throw in.broken("a table of kind " + kind);
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

  /** The entries of the next keys, the greatest first where none is made. */
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
        throw in.broken("a change removes a key that is not there");
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
