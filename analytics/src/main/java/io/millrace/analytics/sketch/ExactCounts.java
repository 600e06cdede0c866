package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Exact counting: a table with an entry for each key, open addressing with linear probing, at most
 * three quarters full.
 *
 * <pre>
 *   entry  | weight, 0 for a free place | the key's words |
 * </pre>
 *
 * <p><b>Bounds</b>: none are needed. <b>Good for</b> whatever fits: on a server's caches it is
 * often the quickest as well. A key that does not fit ends it with an exception; {@link Adaptive}
 * moves on to a sketch then. While a table grows, the old one is there too, half as much again.
 *
 * <p>An update touches one line, or two, of a table that outgrows the caches, so a block's lines
 * are fetched first, all at once, and each is there when its turn comes.
 */
public final class ExactCounts implements HitterSketch {
  private static final int VERSION = 1;
  private static final int FIRST_PLACES = 32;
  private static final int CHUNK = 256;
  private static final int MAX_CELLS = Integer.MAX_VALUE - 8;

  private final int keyBytes;
  private final int keyWords;
  private final int stride;
  private final long memory;
  private long[] hashed = {};

  private long seed;
  private KeyHash hash;
  private long[] cells;
  private int size;
  private long total;

  /** Keeps the reads that only fetch lines from being left out. */
  @SuppressWarnings("UnusedVariable")
  private long fetched;

  /** An empty table that takes so many bytes at most, as much of it as keys need. */
  public ExactCounts(int keyBytes, long memory, long seed) {
    this.keyBytes = keyBytes;
    this.keyWords = KeyBlock.words(keyBytes);
    this.stride = 1 + keyWords;
    this.memory = memory;
    if (memory < Long.BYTES * (CHUNK + (long) FIRST_PLACES * stride)) {
      throw new IllegalArgumentException(memory + " bytes: exact counting takes 16 KiB or more");
    }
    setSeed(seed);
    cells = new long[FIRST_PLACES * stride];
  }

  private void setSeed(long seed) {
    this.seed = seed;
    hash = new KeyHash(keyWords, new SplittableRandom(seed));
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.EXACT;
  }

  @Override
  public int keyBytes() {
    return keyBytes;
  }

  @Override
  public long total() {
    return total;
  }

  /** Number of keys. */
  public int size() {
    return size;
  }

  @Override
  public double confidence() {
    return 1;
  }

  @Override
  public HitterSketch fresh() {
    return new ExactCounts(keyBytes, memory, seed);
  }

  @Override
  public long bytes() {
    return (long) Long.BYTES * (cells.length + hashed.length);
  }

  /**
   * Adds the rows of a block.
   *
   * @throws IllegalStateException if keys do not fit into the memory; those before are counted
   */
  @Override
  public void update(KeyBlock block) {
    if (add(block, 0) < block.rows()) {
      throw new IllegalStateException(
          size + " keys fill the " + memory + " bytes of exact counting");
    }
  }

  /** Adds rows from one on until a key does not fit; gives the row that was not added. */
  int add(KeyBlock block, int from) {
    if (block.keyBytes() != keyBytes) {
      throw new IllegalArgumentException(
          "keys of " + block.keyBytes() + " bytes for counts of " + keyBytes);
    }
    int row = from;
    while (row < block.rows()) {
      int count = Math.min(CHUNK, block.rows() - row);
      boolean hasRoom = hasRoom(count);
      while (!hasRoom && isGrown()) {
        hasRoom = hasRoom(count);
      }
      if (!hasRoom) {
        count = Math.min(count, (int) (3L * places() / 4) - size);
        if (count <= 0) {
          return addKnown(block, row);
        }
      }
      addChunk(block, row, count);
      row += count;
    }
    return row;
  }

  private boolean hasRoom(int more) {
    return 4L * (size + more) <= 3L * places();
  }

  private int places() {
    return cells.length / stride;
  }

  private void addChunk(KeyBlock block, int from, int count) {
    long[] cells = this.cells;
    long[] weights = block.weights();
    long[] first = block.word(0);
    locate(block, from, count, places());
    long touched = 0;
    for (int i = 0; i < count; i++) {
      touched += cells[(int) hashed[i]];
    }
    fetched = touched;
    for (int i = 0; i < count; i++) {
      long weight = weights[from + i];
      int cell = (int) hashed[i];
      while (true) {
        boolean isKey = cells[cell + 1] == first[from + i];
        for (int word = 1; word < keyWords; word++) {
          isKey &= cells[cell + 1 + word] == block.word(word)[from + i];
        }
        if (isKey && cells[cell] != 0) {
          break;
        }
        if (cells[cell] == 0) {
          if (weight != 0) {
            size++;
            for (int word = 0; word < keyWords; word++) {
              cells[cell + 1 + word] = block.word(word)[from + i];
            }
          }
          break;
        }
        cell = cell + stride == cells.length ? 0 : cell + stride;
      }
      cells[cell] += weight;
      total += weight;
    }
  }

  private void locate(KeyBlock block, int from, int count, int range) {
    hashed = hashed.length < count ? new long[count] : hashed;
    hash.places(block, from, count, KeyHash.WHOLE, range, hashed);
    for (int i = 0; i < count; i++) {
      hashed[i] *= stride;
    }
  }

  /** Full: adds rows while their keys are there. */
  private int addKnown(KeyBlock block, int from) {
    KeyBlock one = new KeyBlock(keyBytes, 1);
    for (int row = from; row < block.rows(); row++) {
      Key key = block.key(row);
      if (weight(key) == 0 && block.weights()[row] != 0) {
        return row;
      }
      one.setRows(0);
      one.add(key, block.weights()[row]);
      addChunk(one, 0, 1);
    }
    return block.rows();
  }

  private boolean isGrown() {
    long most = (memory / Long.BYTES - CHUNK) / stride;
    long wider = Math.min(2L * places(), Math.min(most, MAX_CELLS / stride));
    if (wider < places() + places() / 4) {
      return false;
    }
    long[] old = cells;
    cells = new long[(int) wider * stride];
    for (int cell = 0; cell < old.length; cell += stride) {
      if (old[cell] != 0) {
        System.arraycopy(old, cell, cells, freePlace(old, cell + 1), stride);
      }
    }
    return true;
  }

  private int freePlace(long[] key, int at) {
    int cell = hash.place(key, at, KeyHash.WHOLE, places()) * stride;
    while (cells[cell] != 0) {
      cell = cell + stride == cells.length ? 0 : cell + stride;
    }
    return cell;
  }

  /** The weight of a key; 0 if it is not there. */
  public long weight(Key key) {
    int cell = hash.place(key.words(), 0, KeyHash.WHOLE, places()) * stride;
    while (cells[cell] != 0) {
      if (key(cells, cell + 1).equals(key)) {
        return cells[cell];
      }
      cell = cell + stride == cells.length ? 0 : cell + stride;
    }
    return 0;
  }

  private Key key(long[] from, int at) {
    long[] words = new long[keyWords];
    System.arraycopy(from, at, words, 0, keyWords);
    return new Key(keyBytes, words);
  }

  @Override
  public Estimate estimate(Key key) {
    long weight = weight(key);
    return new Estimate(weight, weight, weight);
  }

  @Override
  public List<Hitter> hitters(long threshold) {
    List<Hitter> hitters = new ArrayList<>();
    for (int cell = 0; cell < cells.length; cell += stride) {
      if (cells[cell] >= threshold) {
        hitters.add(hitter(key(cells, cell + 1), cells[cell]));
      }
    }
    hitters.sort(Hitter.LARGEST_FIRST);
    return hitters;
  }

  private static Hitter hitter(Key key, long weight) {
    return new Hitter(key, new Estimate(weight, weight, weight));
  }

  /**
   * Keys of which only some bits count, with the threshold or more: by source, by prefix.
   *
   * @param mask of the same width; the bits that count
   */
  public List<Hitter> hitters(Key mask, long threshold) {
    Map<Key, Long> sums = new HashMap<>();
    for (int cell = 0; cell < cells.length; cell += stride) {
      if (cells[cell] != 0) {
        sums.merge(key(cells, cell + 1).and(mask), cells[cell], Long::sum);
      }
    }
    List<Hitter> hitters = new ArrayList<>();
    sums.forEach(
        (key, weight) -> {
          if (weight >= threshold) {
            hitters.add(hitter(key, weight));
          }
        });
    hitters.sort(Hitter.LARGEST_FIRST);
    return hitters;
  }

  @Override
  public void merge(HitterSketch other) {
    if (!(other instanceof ExactCounts exact) || exact.keyBytes != keyBytes) {
      throw new IllegalArgumentException("exact counts merge with exact counts of such keys");
    }
    exact.forEachBlock(CHUNK, this::update);
  }

  /** All keys with their weights, in blocks that are used again. */
  void forEachBlock(int rows, Consumer<KeyBlock> reader) {
    KeyBlock block = new KeyBlock(keyBytes, rows);
    for (int cell = 0; cell < cells.length; cell += stride) {
      if (cells[cell] != 0) {
        block.add(cells, cell + 1, cells[cell]);
        if (block.rows() == rows) {
          reader.accept(block);
          block.setRows(0);
        }
      }
    }
    if (block.rows() > 0) {
      reader.accept(block); // none where there is nothing: reading takes no empty block
    }
  }

  @Override
  public void write(BlockBuffer out) {
    out.putByte(VERSION);
    out.putByte(algorithm().ordinal());
    out.putByte(keyBytes);
    out.putLong(seed);
    out.putInt(size);
    forEachBlock(
        CHUNK,
        block -> {
          out.putLongs(block.weights(), block.rows());
          for (int word = 0; word < keyWords; word++) {
            out.putLongs(block.word(word), block.rows());
          }
        });
  }

  @Override
  public void read(BlockInput in) {
    int version = in.takeByte();
    int kind = in.takeByte();
    int bytes = in.takeByte();
    if (version != VERSION || kind != algorithm().ordinal() || bytes != keyBytes) {
      throw in.broken("no snapshot of exact counts of such keys and this release");
    }
    setSeed(in.takeLong());
    int count = in.takeInt();
    cells = new long[FIRST_PLACES * stride];
    size = 0;
    total = 0;
    KeyBlock block = new KeyBlock(keyBytes, CHUNK);
    for (int left = count; left > 0; left -= block.rows()) {
      block.setRows(Math.min(CHUNK, left));
      in.takeLongs(block.weights(), block.rows());
      for (int word = 0; word < keyWords; word++) {
        in.takeLongs(block.word(word), block.rows());
      }
      for (int row = 0; row < block.rows(); row++) {
        if (block.weights()[row] <= 0) {
          throw in.broken("a key of the weight " + block.weights()[row]);
        }
      }
      if (add(block, 0) < block.rows()) {
        throw in.broken(count + " keys, more than fit into " + memory + " bytes");
      }
    }
    if (size != count) {
      throw in.broken(count + " keys, of which " + (count - size) + " are there twice");
    }
  }
}
