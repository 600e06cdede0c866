package io.millrace.store.duckdb.sums;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.duckdb.ChunkFunction;

/**
 * Sums by minute and the columns of one set: a hash table with linear probing, whose entries are
 * words in pages. One thread adds; the table is read only after the last addition.
 *
 * <p>The table is larger than a processor's caches. Therefore one loop first reads the slots of all
 * rows of a batch; its reads do not wait for each other.
 *
 * <p>Sums have 64 bits. Throws {@link ArithmeticException} if one overflows.
 */
final class GroupSums {
  private static final int SUMS = 5;
  private static final int FIRST_GROUPS = 256;
  private static final long FACTOR = 0xD6E8FEB86659FD93L;

  /** Entries per page, a power of two. */
  private static final int PAGE = 1 << 10;

  private static final int PAGE_BITS = Integer.numberOfTrailingZeros(PAGE);
  private static final long UPPER_HALF = 0xFFFF_FFFF_0000_0000L;

  private final int keyWords;
  private final int width;
  private long[][] pages = new long[4][];

  /** Upper half of the hash, and the entry's number counted from 1; 0 if empty. */
  private long[] slots = new long[2 * FIRST_GROUPS];

  private int size;

  /** Which sums have a value that is not NULL, by entry; null if all have one. */
  private byte[] known;

  // By addend of a batch: first word of the key, hash, and the value of its slot before the batch.
  private long[] firsts = new long[0];
  private long[] hashes = new long[0];
  private long[] found = new long[0];

  /**
   * Creates an empty table.
   *
   * @param words number of words of the set's columns
   */
  GroupSums(int words) {
    keyWords = words + 1;
    width = keyWords + SUMS;
  }

  int size() {
    return size;
  }

  long bytes() {
    return 8L * (size + PAGE) * width + 8L * slots.length;
  }

  void add(Addends addends, GroupKeys keys) {
    int n = addends.n;
    look(addends, keys, n);
    for (int i = 0; i < n; i++) {
      int row = addends.row[i];
      long first = firsts[i];
      long slot = found[i];
      int entry = (int) slot - 1;
      boolean isNew = false;
      if (slot == 0 || ((slot ^ hashes[i]) & UPPER_HALF) != 0 || !isAt(entry, first, keys, row)) {
        int before = size;
        entry = probe(hashes[i], first, keys, row);
        isNew = size > before;
      }
      long[] page = pages[entry >>> PAGE_BITS];
      int at = (entry & (PAGE - 1)) * width + keyWords;
      page[at] += addends.rows[i];
      page[at + 1] = Math.addExact(page[at + 1], addends.packets[i]);
      page[at + 2] = Math.addExact(page[at + 2], addends.bytes[i]);
      page[at + 3] = Math.addExact(page[at + 3], addends.scaledPackets[i]);
      page[at + 4] = Math.addExact(page[at + 4], addends.scaledBytes[i]);
      if (known != null || addends.known[i] != Addends.ALL) {
        mark(entry, addends.known[i], isNew);
      }
    }
  }

  private void look(Addends addends, GroupKeys keys, int n) {
    if (found.length < n) {
      firsts = new long[n];
      hashes = new long[n];
      found = new long[n];
    }
    long[] f = firsts;
    long[] h = hashes;
    for (int i = 0; i < n; i++) {
      int row = addends.row[i];
      long first = addends.minute[i] | keys.nulls[row];
      f[i] = first;
      h[i] = (first * FACTOR ^ keys.hashes[row]) * FACTOR;
    }
    int mask = slots.length - 1;
    long[] s = slots;
    long[] to = found;
    for (int i = 0; i < n; i++) {
      to[i] = s[place(h[i]) & mask];
    }
  }

  private static int place(long hash) {
    int tag = (int) (hash >>> 32);
    return tag ^ (tag >>> 15);
  }

  private int probe(long hash, long first, GroupKeys keys, int row) {
    int mask = slots.length - 1;
    int at = place(hash) & mask;
    while (true) {
      long slot = slots[at];
      if (slot == 0) {
        return insert(at, hash, first, keys, row);
      }
      int entry = (int) slot - 1;
      if (((slot ^ hash) & UPPER_HALF) == 0 && isAt(entry, first, keys, row)) {
        return entry;
      }
      at = (at + 1) & mask;
    }
  }

  private boolean isAt(int entry, long first, GroupKeys keys, int row) {
    long[] page = pages[entry >>> PAGE_BITS];
    int at = (entry & (PAGE - 1)) * width;
    if (page[at] != first) {
      return false;
    }
    long[][] words = keys.words;
    for (int k = 0; k < words.length; k++) {
      if (page[at + 1 + k] != words[k][row]) {
        return false;
      }
    }
    return true;
  }

  private int insert(int slot, long hash, long first, GroupKeys keys, int row) {
    int entry = size++;
    if ((entry & (PAGE - 1)) == 0) {
      addPage(entry >>> PAGE_BITS);
    }
    slots[slot] = (hash & UPPER_HALF) | size;
    long[] page = pages[entry >>> PAGE_BITS];
    int at = (entry & (PAGE - 1)) * width;
    page[at] = first;
    for (int k = 0; k < keys.words.length; k++) {
      page[at + 1 + k] = keys.words[k][row];
    }
    if (2 * size > slots.length) {
      rehash();
    }
    return entry;
  }

  private void addPage(int page) {
    if (page == pages.length) {
      pages = Arrays.copyOf(pages, 2 * page);
    }
    pages[page] = new long[PAGE * width];
    if (known != null) {
      known = Arrays.copyOf(known, (page + 1) * PAGE);
    }
  }

  private void rehash() {
    long[] all = slots;
    slots = new long[2 * all.length];
    int mask = slots.length - 1;
    for (long slot : all) {
      if (slot != 0) {
        int at = place(slot) & mask;
        while (slots[at] != 0) {
          at = (at + 1) & mask;
        }
        slots[at] = slot;
      }
    }
  }

  private void mark(int entry, byte isKnown, boolean isNew) {
    if (known == null) {
      known = new byte[(size + PAGE - 1) / PAGE * PAGE];
      Arrays.fill(known, 0, size, Addends.ALL);
    }
    known[entry] = isNew ? isKnown : (byte) (known[entry] | isKnown);
  }

  /**
   * Chunks of the groups, with the columns of {@link SumPlan#groups}; nothing may be added
   * afterwards.
   */
  List<ChunkFunction.Chunk> chunks(List<ChunkFunction.Column> columns) {
    List<ChunkFunction.Chunk> chunks = new ArrayList<>();
    int[] words = new int[columns.size()];
    for (int column = 1, word = 1; column < columns.size(); column++) {
      words[column] = word;
      word +=
          columns.get(column).name().equals("spread")
              ? 0
              : GroupKeys.wordsOf(columns.get(column).type());
    }
    for (int from = 0; from < size; from += ChunkFunction.CAPACITY) {
      chunks.add(new Groups(from, Math.min(ChunkFunction.CAPACITY, size - from), columns, words));
    }
    return chunks;
  }

  private final class Groups implements ChunkFunction.Chunk {
    private final int from;
    private final int rows;
    private final List<ChunkFunction.Column> columns;
    private final int[] words;
    private final int spread;

    Groups(int from, int rows, List<ChunkFunction.Column> columns, int[] words) {
      this.from = from;
      this.rows = rows;
      this.columns = columns;
      this.words = words;
      spread = columns.size() - SUMS - 1;
    }

    @Override
    public int rows() {
      return rows;
    }

    @Override
    public ByteBuffer values(int column) {
      ChunkFunction.Type type = columns.get(column).type();
      ByteBuffer values = ByteBuffer.allocate(rows * type.width()).order(ByteOrder.nativeOrder());
      for (int i = 0; i < rows; i++) {
        long[] page = pages[(from + i) >>> PAGE_BITS];
        int at = ((from + i) & (PAGE - 1)) * width;
        long word = page[at + words[column]];
        if (column == 0) {
          values.putLong(word >> Addends.MINUTE_SHIFT);
        } else if (column == spread) {
          values.putInt((int) (page[at] & 1));
        } else if (type == ChunkFunction.Type.INTEGER) {
          values.putInt((int) word);
        } else if (type == ChunkFunction.Type.UUID) {
          values.putLong(word).putLong(page[at + words[column] + 1]);
        } else {
          values.putLong(word);
        }
      }
      return values.flip();
    }

    @Override
    public long[] validity(int column) {
      if (column > 0 && column < spread) {
        return nulls(2L << (column - 1));
      }
      if (column > spread + 1 && known != null) {
        boolean isPackets = (column - spread) % 2 == 0;
        return known(isPackets ? Addends.PACKETS : Addends.BYTES);
      }
      return null;
    }

    private long[] nulls(long bit) {
      long[] valid = null;
      for (int i = 0; i < rows; i++) {
        if ((pages[(from + i) >>> PAGE_BITS][((from + i) & (PAGE - 1)) * width] & bit) != 0) {
          valid = valid == null ? allValid() : valid;
          valid[i >> 6] &= ~(1L << i);
        }
      }
      return valid;
    }

    private long[] known(byte bit) {
      long[] valid = allValid();
      for (int i = 0; i < rows; i++) {
        if ((known[from + i] & bit) == 0) {
          valid[i >> 6] &= ~(1L << i);
        }
      }
      return valid;
    }

    private static long[] allValid() {
      long[] valid = new long[ChunkFunction.CAPACITY / Long.SIZE];
      Arrays.fill(valid, -1);
      return valid;
    }
  }
}
