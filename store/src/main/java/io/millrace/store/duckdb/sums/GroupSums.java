package io.millrace.store.duckdb.sums;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.duckdb.ChunkFunction;

/**
 * Sums by minute and the columns of one set: a hash table with linear probing, whose entries are
 * words in one array. One thread adds; it is read when nothing is added any more.
 *
 * <p>Sums have 64 bits. {@link ArithmeticException} says that one does not fit.
 */
final class GroupSums {
  private static final int SUMS = 5;
  private static final int FIRST_GROUPS = 256;
  private static final long FACTOR = 0xD6E8FEB86659FD93L;

  private final int keyWords;
  private final int width;
  private long[] entries;
  private int[] slots; // number of an entry from 1; 0 for none
  private int[] tags = new int[FIRST_GROUPS];
  private int size;

  /** Which sums are of some value that is not NULL, by entry; null if all are. */
  private byte[] known;

  /**
   * Without groups.
   *
   * @param words of the columns of a row
   */
  GroupSums(int words) {
    keyWords = words + 1;
    width = keyWords + SUMS;
    entries = new long[FIRST_GROUPS * width];
    slots = new int[2 * FIRST_GROUPS];
  }

  int size() {
    return size;
  }

  long bytes() {
    return 8L * entries.length + 4L * slots.length + 4L * tags.length;
  }

  void add(Addends addends, GroupKeys keys) {
    int mask = slots.length - 1;
    for (int i = 0; i < addends.n; i++) {
      int row = addends.row[i];
      long first = addends.minute[i] | keys.nulls[row];
      long hash = (first * FACTOR ^ keys.hashes[row]) * FACTOR;
      int tag = (int) (hash >>> 32);
      int slot = (tag ^ tag >>> 15) & mask;
      int entry = slots[slot] - 1;
      while (entry >= 0 && !(tags[entry] == tag && isAt(entry * width, first, keys, row))) {
        slot = slot + 1 & mask;
        entry = slots[slot] - 1;
      }
      boolean isNew = entry < 0;
      if (isNew) {
        entry = insert(slot, tag, first, keys, row);
        mask = slots.length - 1;
      }
      int at = entry * width + keyWords;
      entries[at] += addends.rows[i];
      entries[at + 1] = Math.addExact(entries[at + 1], addends.packets[i]);
      entries[at + 2] = Math.addExact(entries[at + 2], addends.bytes[i]);
      entries[at + 3] = Math.addExact(entries[at + 3], addends.scaledPackets[i]);
      entries[at + 4] = Math.addExact(entries[at + 4], addends.scaledBytes[i]);
      if (known != null || addends.known[i] != Addends.ALL) {
        mark(entry, addends.known[i], isNew);
      }
    }
  }

  private boolean isAt(int at, long first, GroupKeys keys, int row) {
    if (entries[at] != first) {
      return false;
    }
    long[][] words = keys.words;
    for (int k = 0; k < words.length; k++) {
      if (entries[at + 1 + k] != words[k][row]) {
        return false;
      }
    }
    return true;
  }

  private int insert(int slot, int tag, long first, GroupKeys keys, int row) {
    int entry = size++;
    if (size > tags.length) {
      tags = Arrays.copyOf(tags, 2 * tags.length);
      entries = Arrays.copyOf(entries, 2 * entries.length);
      if (known != null) {
        known = Arrays.copyOf(known, tags.length);
      }
    }
    slots[slot] = entry + 1;
    tags[entry] = tag;
    int at = entry * width;
    entries[at] = first;
    for (int k = 0; k < keys.words.length; k++) {
      entries[at + 1 + k] = keys.words[k][row];
    }
    if (2 * size > slots.length) {
      rehash();
    }
    return entry;
  }

  private void rehash() {
    slots = new int[2 * slots.length];
    int mask = slots.length - 1;
    for (int entry = 0; entry < size; entry++) {
      int tag = tags[entry];
      int slot = (tag ^ tag >>> 15) & mask;
      while (slots[slot] != 0) {
        slot = slot + 1 & mask;
      }
      slots[slot] = entry + 1;
    }
  }

  private void mark(int entry, byte isKnown, boolean isNew) {
    if (known == null) {
      known = new byte[tags.length];
      Arrays.fill(known, 0, size, Addends.ALL);
    }
    known[entry] = isNew ? isKnown : (byte) (known[entry] | isKnown);
  }

  /** The groups in the order of {@link SumPlan#groups}; nothing may be added afterwards. */
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

  /** Some of the groups. */
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
        int at = (from + i) * width;
        long word = entries[at + words[column]];
        if (column == 0) {
          values.putLong(word >> Addends.MINUTE_SHIFT);
        } else if (column == spread) {
          values.putInt((int) (entries[at] & 1));
        } else if (type == ChunkFunction.Type.INTEGER) {
          values.putInt((int) word);
        } else if (type == ChunkFunction.Type.UUID) {
          values.putLong(word).putLong(entries[at + words[column] + 1]);
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
        if ((entries[(from + i) * width] & bit) != 0) {
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
