package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;

/**
 * Exact counting: a table with an entry for each key, open addressing with linear probing, at most
 * three quarters full.
 *
 * <pre>
 *   entry  | weight, 0 for a free place | variance, if they are counted | the key's words |
 * </pre>
 *
 * <p><b>Bounds</b>: exact. <b>Good for</b> whatever fits: in a server's caches it is often the
 * fastest as well. A key that does not fit causes an exception; {@link Adaptive} then moves to a
 * sketch. While a table grows, it takes half as much memory again for the old one.
 *
 * <p>An update touches one or two cache lines, so a block's lines are prefetched together. Keys are
 * nearly in the order of their hashes, so a growing table is read and written sequentially.
 */
public final class ExactCounts implements HitterSketch {
  private static final int VARIANCE = 1;
  private static final int FIRST_PLACES = 32;
  private static final int CHUNK = CountsFormat.CHUNK;
  private static final int MAX_CELLS = Integer.MAX_VALUE - 8;

  private final int keyBytes;
  private final int keyWords;
  private final CountsFormat format;

  /** Offset of the key in an entry: after its weight and variance. */
  private final int keyAt;

  private final int stride;
  private long memory;

  /** Scratch by row of a chunk: the place of its key, later its weight. */
  private long[] hashed = {};

  private long seed;
  private KeyHash hash;
  private long[] cells;
  private int size;
  private long total;
  private long totalVariance;

  /** Blackhole that keeps the prefetching reads from being eliminated. */
  @SuppressWarnings("UnusedVariable")
  private long fetched;

  /** An empty table that grows with its keys up to {@code memory} bytes. */
  public ExactCounts(int keyBytes, long memory, long seed) {
    this(keyBytes, VARIANCE, memory, seed);
  }

  /** An empty table that sums variances too; updated with blocks that have them. */
  public static ExactCounts withVariances(int keyBytes, long memory, long seed) {
    return new ExactCounts(keyBytes, VARIANCE + 1, memory, seed);
  }

  private ExactCounts(int keyBytes, int keyAt, long memory, long seed) {
    this.keyBytes = keyBytes;
    this.keyWords = KeyBlock.words(keyBytes);
    this.keyAt = keyAt;
    this.stride = keyAt + keyWords;
    this.memory = memory;
    format = new CountsFormat(keyBytes, keyAt > VARIANCE);
    if (memory < Long.BYTES * (CHUNK + (long) FIRST_PLACES * stride)) {
      throw new IllegalArgumentException(
          "memory: " + memory + " bytes, expected at least 16 KiB for exact counts");
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

  /** Sum of all variances; 0 without variances. */
  public long totalVariance() {
    return totalVariance;
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
    return new ExactCounts(keyBytes, keyAt, memory, seed);
  }

  @Override
  public long bytes() {
    return (long) Long.BYTES * (cells.length + hashed.length);
  }

  /** Sets the maximum size in bytes, to which the table may grow; existing entries are kept. */
  public void limit(long bytes) {
    memory = bytes;
  }

  /**
   * Adds the rows of a block.
   *
   * @throws IllegalStateException if a key does not fit into the memory; rows before it are counted
   */
  @Override
  public void update(KeyBlock block) {
    if (add(block, 0) < block.rows()) {
      throw new IllegalStateException(
          size + " keys exceed the " + memory + " bytes of exact counts");
    }
  }

  /** Adds rows from one on until a key does not fit; returns the first row that was not added. */
  public int add(KeyBlock block, int from) {
    return add(block, from, null);
  }

  /**
   * {@link #add(KeyBlock, int)}, which also returns the weights of the keys.
   *
   * @param sums receives the weight of each added row's key, including the row; 0 if the row's
   *     weight is 0; or null
   */
  public int add(KeyBlock block, int from, long[] sums) {
    if (block.keyBytes() != keyBytes) {
      throw new IllegalArgumentException(
          "keys of " + block.keyBytes() + " bytes, expected " + keyBytes);
    }
    if (format.hasVariances() && block.variances() == null) {
      throw new IllegalArgumentException("the block has no variances");
    }
    int row = from;
    while (row < block.rows()) {
      int count = Math.min(CHUNK, block.rows() - row);
      makeRoom(count);
      if (!hasRoom(count)) {
        count = Math.min(count, (int) (3L * places() / 4) - size);
        if (count <= 0) {
          return addKnown(block, row, sums);
        }
      }
      addChunk(block, row, count, sums);
      row += count;
    }
    return row;
  }

  /**
   * Reserves space for {@code more} keys, within the memory. Keys of another table arrive in hash
   * order, and would cluster at the front of a smaller table.
   */
  public void makeRoom(int more) {
    while (!hasRoom(more) && isGrown(more)) {}
  }

  private boolean hasRoom(int more) {
    return 4L * (size + more) <= 3L * places();
  }

  private int places() {
    return cells.length / stride;
  }

  private void addChunk(KeyBlock block, int from, int count, long[] sums) {
    long[] cells = this.cells;
    long[][] words = block.words();
    long[] weights = block.weights();
    long[] variances = format.hasVariances() ? block.variances() : null;
    locate(block, from, count, places());
    long touched = 0;
    for (int i = 0; i < count; i++) {
      touched += cells[(int) hashed[i]] + cells[(int) hashed[i] + stride - 1];
    }
    fetched = touched;
    int newKeys = 0;
    long weightOfAll = 0;
    long varianceOfAll = 0;
    for (int row = from; row < from + count; row++) {
      long weight = weights[row];
      if (weight == 0) {
        hashed[row - from] = 0;
        continue; // 0 marks a free place
      }
      int cell = (int) hashed[row - from];
      while (cells[cell] != 0 && !KeyBlock.isKey(cells, cell + keyAt, words, row)) {
        cell = cell + stride == cells.length ? 0 : cell + stride;
      }
      if (cells[cell] == 0) {
        newKeys++;
        for (int word = 0; word < words.length; word++) {
          cells[cell + keyAt + word] = words[word][row];
        }
      }
      cells[cell] += weight;
      hashed[row - from] = cells[cell];
      weightOfAll += weight;
      if (variances != null) {
        cells[cell + VARIANCE] += variances[row];
        varianceOfAll += variances[row];
      }
    }
    if (sums != null) {
      System.arraycopy(hashed, 0, sums, from, count);
    }
    size += newKeys;
    total += weightOfAll;
    totalVariance += varianceOfAll;
  }

  private void locate(KeyBlock block, int from, int count, int range) {
    hashed = hashed.length < count ? new long[count] : hashed;
    hash.places(block, from, count, KeyHash.WHOLE, range, hashed);
    for (int i = 0; i < count; i++) {
      hashed[i] *= stride;
    }
  }

  private int addKnown(KeyBlock block, int from, long[] sums) {
    for (int row = from; row < block.rows(); row++) {
      if (block.weights()[row] != 0 && weight(block.key(row)) == 0) {
        return row;
      }
      addChunk(block, row, 1, sums);
    }
    return block.rows();
  }

  private boolean isGrown(int more) {
    long wider = Math.max(2L * places(), 4 * ((long) size + more + 2) / 3);
    wider = Math.min(wider, mostPlaces());
    if (wider < places() + places() / 4) {
      return false;
    }
    long[] old = cells;
    cells = new long[(int) wider * stride];
    size = 0;
    total = 0;
    totalVariance = 0;
    // In hash order, so the new table is written sequentially.
    forEachBlock(old, CHUNK, block -> addChunk(block, 0, block.rows(), null));
    return true;
  }

  private long mostPlaces() {
    return Math.min((memory / Long.BYTES - CHUNK) / stride, MAX_CELLS / stride);
  }

  /** Weight of a key; 0 if it is unknown. */
  public long weight(Key key) {
    return cells[cell(key)];
  }

  /** Variance of a key; 0 if it is unknown. */
  public long variance(Key key) {
    return cells[cell(key) + VARIANCE];
  }

  /** Entry of a key, or the free place for it. */
  private int cell(Key key) {
    int cell = hash.place(key.words(), 0, KeyHash.WHOLE, places()) * stride;
    while (cells[cell] != 0 && !key(cells, cell + keyAt).equals(key)) {
      cell = cell + stride == cells.length ? 0 : cell + stride;
    }
    return cell;
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
        hitters.add(hitter(key(cells, cell + keyAt), cells[cell]));
      }
    }
    hitters.sort(Hitter.LARGEST_FIRST);
    return hitters;
  }

  @Override
  public void forEachWeight(LongConsumer reader) {
    for (int cell = 0; cell < cells.length; cell += stride) {
      if (cells[cell] != 0) {
        reader.accept(cells[cell]);
      }
    }
  }

  private static Hitter hitter(Key key, long weight) {
    return new Hitter(key, new Estimate(weight, weight, weight));
  }

  /**
   * Masked keys with the threshold or more: by source, by prefix.
   *
   * @param mask of the same width
   */
  public List<Hitter> hitters(Key mask, long threshold) {
    Map<Key, Long> sums = new HashMap<>();
    for (int cell = 0; cell < cells.length; cell += stride) {
      if (cells[cell] != 0) {
        sums.merge(key(cells, cell + keyAt).and(mask), cells[cell], Long::sum);
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
    if (!(other instanceof ExactCounts exact)
        || exact.keyBytes != keyBytes
        || exact.keyAt != keyAt) {
      throw new IllegalArgumentException(
          "exact counts merge only with exact counts of the same key width");
    }
    makeRoom(exact.size);
    exact.forEachBlock(CHUNK, this::update);
  }

  /** Passes all keys with their weights and variances in reused blocks. */
  public void forEachBlock(int rows, Consumer<KeyBlock> reader) {
    forEachBlock(cells, rows, reader);
  }

  private void forEachBlock(long[] cells, int rows, Consumer<KeyBlock> reader) {
    KeyBlock block = format.block(rows);
    for (int cell = 0; cell < cells.length; cell += stride) {
      if (cells[cell] != 0) {
        add(cells, cell, block);
        if (block.rows() == rows) {
          reader.accept(block);
          block.setRows(0);
        }
      }
    }
    if (block.rows() > 0) {
      reader.accept(block); // readers do not get empty blocks
    }
  }

  private void add(long[] cells, int entry, KeyBlock to) {
    to.add(cells, entry + keyAt, cells[entry], cells[entry + VARIANCE]);
  }

  void add(int entry, KeyBlock to) {
    add(cells, entry, to);
  }

  void forEachEntry(IntConsumer reader) {
    for (int cell = 0; cell < cells.length; cell += stride) {
      if (cells[cell] != 0) {
        reader.accept(cell);
      }
    }
  }

  CountsFormat format() {
    return format;
  }

  long seed() {
    return seed;
  }

  /** Writes the table in the format {@link CountsFormat}. */
  @Override
  public void write(BlockBuffer out) {
    format.writeHeader(seed, size, out);
    forEachBlock(CHUNK, block -> format.writeRows(block, out));
  }

  /**
   * Writes the table in pieces, each a table preceded by the number of remaining keys.
   *
   * @param keys of a piece, a multiple of 256
   * @param out buffer of a piece; empty afterwards
   * @param piece called for each piece
   */
  public void write(int keys, BlockBuffer out, Runnable piece) {
    int[] done = {0};
    forEachBlock(
        CHUNK,
        block -> {
          if (done[0] % keys == 0) {
            out.putInt(size - done[0]);
            format.writeHeader(seed, Math.min(keys, size - done[0]), out);
          }
          format.writeRows(block, out);
          done[0] += block.rows();
          if (done[0] % keys == 0 || done[0] == size) {
            piece.run();
            out.clear();
          }
        });
  }

  /** Width of the keys of a written table; reads nothing. */
  public static int keyBytes(BlockInput in) {
    return in.nextInt() >>> 16 & 0xFF;
  }

  /** Divides the keys into parts that are written separately. */
  public CountParts divide(int parts, CountParts.PartOf partOf) {
    return divide(parts, partOf, keyBytes, UnaryOperator.identity());
  }

  /**
   * Divides the keys into parts that are written in another form.
   *
   * @param keyBytes width of a key in that form
   * @param form converts counted keys; may reuse its block
   */
  public CountParts divide(
      int parts, CountParts.PartOf partOf, int keyBytes, UnaryOperator<KeyBlock> form) {
    return new CountParts(this, parts, partOf, keyBytes, form);
  }

  @Override
  public void read(BlockInput in) {
    setSeed(format.readSeed(in));
    int count = in.takeInt();
    long places = Math.min(mostPlaces(), Math.max(FIRST_PLACES, 4L * count / 3 + 2 * CHUNK));
    cells = new long[(int) places * stride];
    size = 0;
    total = 0;
    totalVariance = 0;
    format.readRows(
        in,
        count,
        block -> {
          if (add(block, 0) < block.rows()) {
            throw in.broken(count + " keys exceed " + memory + " bytes");
          }
        });
    if (size != count) {
      throw in.broken((count - size) + " duplicates among " + count + " keys");
    }
  }

  /**
   * Passes the keys of a written table without counting them.
   *
   * @param keys first receives the number of keys
   * @param reader takes the keys in reused blocks
   */
  public void read(BlockInput in, IntConsumer keys, Consumer<KeyBlock> reader) {
    var unused = format.readSeed(in);
    int count = in.takeInt();
    keys.accept(count);
    format.readRows(in, count, reader);
  }
}
