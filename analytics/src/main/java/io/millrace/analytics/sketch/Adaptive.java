package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;

/**
 * Counts exactly while the keys fit into the memory, then moves all counts to a sketch of the same
 * size. So an ordinary epoch is exact, and a flood of new keys reduces accuracy instead of using
 * more memory.
 *
 * <p>{@link #algorithm} returns the current one. Exact counts enter the sketch as one row per key;
 * its bounds do not depend on the order or the size of rows, so they hold for the whole epoch. The
 * default sketch is {@link MvSketch}, the fastest, with certain bounds; {@link CocoSketch} supports
 * partial keys. During the move both are in memory.
 *
 * <p>It can also sum variances of the weights: in the same entries while it counts exactly, then in
 * the same buckets of an MV-Sketch, or in a second sketch of another kind, each with half the
 * memory.
 *
 * <p>Not thread-safe.
 */
public final class Adaptive implements HitterSketch {
  private static final int ROWS = 256;

  private final int keyBytes;
  private final long memory;
  private final Algorithm second;
  private final boolean hasVariances;
  private long seed;
  private HitterSketch counts;

  /** Null without variances, or if the sketch of the weights has them. */
  private HitterSketch variances;

  /** Exact counts, later an MV-Sketch. */
  public Adaptive(int keyBytes, long memory, long seed) {
    this(keyBytes, memory, Algorithm.MV, seed);
  }

  /**
   * Exact counts, later a sketch.
   *
   * @param memory maximum bytes of either
   * @param second algorithm of the sketch
   */
  public Adaptive(int keyBytes, long memory, Algorithm second, long seed) {
    this(keyBytes, memory, second, false, seed);
  }

  /** Exact counts with variances, later a sketch; updated with blocks that have variances. */
  public static Adaptive withVariances(int keyBytes, long memory, Algorithm second, long seed) {
    return new Adaptive(keyBytes, memory, second, true, seed);
  }

  private Adaptive(int keyBytes, long memory, Algorithm second, boolean hasVariances, long seed) {
    if (second == Algorithm.EXACT) {
      throw new IllegalArgumentException("exact counts must be followed by a sketch");
    }
    this.keyBytes = keyBytes;
    this.memory = memory;
    this.second = second;
    this.hasVariances = hasVariances;
    this.seed = seed;
    counts = exact();
  }

  private ExactCounts exact() {
    return hasVariances
        ? ExactCounts.withVariances(keyBytes, memory, seed)
        : new ExactCounts(keyBytes, memory, seed);
  }

  /** Whether it still counts exactly. */
  public boolean isExact() {
    return counts instanceof ExactCounts;
  }

  @Override
  public void update(KeyBlock block) {
    if (counts instanceof ExactCounts exact) {
      int row = exact.add(block, 0);
      if (row < block.rows()) {
        moveOn(exact);
        addToSketches(block.from(row));
      }
    } else {
      addToSketches(block);
    }
  }

  /** Reserves space for {@code more} keys, within the memory, while it counts exactly. */
  public void makeRoom(int more) {
    if (counts instanceof ExactCounts exact) {
      exact.makeRoom(more);
    }
  }

  private void addToSketches(KeyBlock block) {
    counts.update(block);
    if (variances != null) {
      KeyBlock ofVariances = block.ofVariances();
      if (ofVariances.total() > 0) {
        variances.update(ofVariances);
      }
    }
  }

  private void moveOn(ExactCounts exact) {
    makeSketches();
    exact.forEachBlock(ROWS, this::addToSketches);
  }

  private void makeSketches() {
    if (hasVariances && second == Algorithm.MV) {
      counts = MvSketch.withVariances(keyBytes, memory, seed);
    } else if (hasVariances) {
      counts = second.create(keyBytes, memory / 2, seed);
      variances = second.create(keyBytes, memory / 2, seed);
    } else {
      counts = second.create(keyBytes, memory, seed);
    }
  }

  @Override
  public void merge(HitterSketch other) {
    if (!(other instanceof Adaptive adaptive)
        || adaptive.second != second
        || adaptive.hasVariances != hasVariances) {
      throw new IllegalArgumentException(
          "cannot merge with " + other.algorithm() + " of another shape");
    }
    if (adaptive.counts instanceof ExactCounts exact) {
      makeRoom(exact.size());
      exact.forEachBlock(ROWS, this::update);
      return;
    }
    if (counts instanceof ExactCounts exact) {
      moveOn(exact);
    }
    counts.merge(adaptive.counts);
    if (variances != null) {
      variances.merge(adaptive.variances);
    }
  }

  /**
   * An upper bound of a key's variance, exact while the counts are.
   *
   * @throws IllegalStateException without variances
   */
  public long variance(Key key) {
    checkVariances();
    if (counts instanceof ExactCounts exact) {
      return exact.variance(key);
    }
    return counts instanceof MvSketch sketch
        ? sketch.variance(key)
        : variances.estimate(key).upper();
  }

  /** Sum of all variances, exact; 0 without variances. */
  public long totalVariance() {
    if (counts instanceof ExactCounts exact) {
      return exact.totalVariance();
    }
    return !hasVariances
        ? 0
        : counts instanceof MvSketch sketch ? sketch.totalVariance() : variances.total();
  }

  private void checkVariances() {
    if (!hasVariances) {
      throw new IllegalStateException("variances are not counted");
    }
  }

  /**
   * Weights that can be summed over partial keys.
   *
   * @throws IllegalStateException unless it counts exactly or with {@link CocoSketch}
   */
  public Sums weights() {
    return new Sums(counts, UnaryOperator.identity());
  }

  /**
   * Variances that can be summed over partial keys.
   *
   * @throws IllegalStateException as above, or without variances
   */
  public Sums variances() {
    checkVariances();
    return variances == null
        ? new Sums(counts, KeyBlock::ofVariances)
        : new Sums(variances, UnaryOperator.identity());
  }

  /** Values of keys that can be summed over any partial key. */
  public static final class Sums {
    private final HitterSketch sketch;
    private final UnaryOperator<KeyBlock> column;

    private Sums(HitterSketch sketch, UnaryOperator<KeyBlock> column) {
      if (!(sketch instanceof ExactCounts || sketch instanceof CocoSketch)) {
        throw new IllegalStateException(
            "weights of " + sketch.algorithm().label() + " cannot be summed");
      }
      this.sketch = sketch;
      this.column = column;
    }

    /**
     * Passes all keys with their values as weights, in reused blocks; a key may occur twice.
     *
     * @param rows maximum rows of a block
     */
    public void forEachBlock(int rows, Consumer<KeyBlock> reader) {
      if (sketch instanceof ExactCounts exact) {
        exact.forEachBlock(rows, block -> reader.accept(column.apply(block)));
      } else {
        ((CocoSketch) sketch).forEachBlock(rows, reader);
      }
    }

    /** Whether the values are exact. */
    public boolean isExact() {
      return sketch instanceof ExactCounts;
    }

    /** Variance, caused by random draws, of a sum; 0 if values are exact. */
    public double variance(long sum) {
      return sketch instanceof CocoSketch coco ? coco.variance(sum) : 0;
    }
  }

  /**
   * A sum of values with bounds of 95% confidence for any distribution.
   *
   * @param variance of the sum caused by random draws
   * @param total of all keys
   */
  public static Estimate spread(long sum, double variance, long total) {
    return CocoSketch.spread(sum, variance, total);
  }

  @Override
  public Algorithm algorithm() {
    return counts.algorithm();
  }

  @Override
  public int keyBytes() {
    return keyBytes;
  }

  @Override
  public long total() {
    return counts.total();
  }

  @Override
  public Estimate estimate(Key key) {
    return counts.estimate(key);
  }

  @Override
  public double confidence() {
    return counts.confidence();
  }

  @Override
  public long leastWeight() {
    return counts.leastWeight();
  }

  /** Keys that reach the threshold and the {@link #leastWeight}. */
  @Override
  public List<Hitter> hitters(long threshold) {
    return counts.hitters(Math.max(threshold, leastWeight()));
  }

  @Override
  public void forEachWeight(LongConsumer reader) {
    if (leastWeight() > 1) {
      HitterSketch.super.forEachWeight(reader);
    } else {
      counts.forEachWeight(reader);
    }
  }

  @Override
  public List<Hitter> changers(HitterSketch previous, long threshold) {
    return counts.changers(
        previous instanceof Adaptive adaptive ? adaptive.counts : previous, threshold);
  }

  @Override
  public HitterSketch fresh() {
    return new Adaptive(keyBytes, memory, second, hasVariances, seed);
  }

  @Override
  public long bytes() {
    return counts.bytes() + (variances == null ? 0 : variances.bytes());
  }

  @Override
  public void write(BlockBuffer out) {
    out.putByte(counts.algorithm().ordinal());
    out.putLong(seed);
    counts.write(out);
    if (variances != null) {
      variances.write(out);
    }
  }

  /**
   * Writes a part of exact counts in the format of {@link #write}.
   *
   * @param seed of the part
   */
  public static void write(CountParts parts, int part, long seed, BlockBuffer out) {
    out.putByte(Algorithm.EXACT.ordinal());
    out.putLong(seed);
    parts.write(part, out);
  }

  /** Writes a segment in the format of {@link #write} after the move to an MV-Sketch. */
  public static void write(MvSegments segments, int segment, long seed, BlockBuffer out) {
    out.putByte(Algorithm.MV.ordinal());
    out.putLong(seed);
    segments.write(segment, out);
  }

  /** Merges this into a segment, if it counts with an MV-Sketch of that shape and seed. */
  public void addTo(MvSegments segments, int segment) {
    segments.merge(segment, (MvSketch) counts);
  }

  @Override
  public void read(BlockInput in) {
    counts = exact();
    variances = null;
    merge(in);
  }

  /** Merges a written instance, possibly of more memory. An empty one takes its seed. */
  public void merge(BlockInput in) {
    int kind = in.takeByte();
    if (kind != Algorithm.EXACT.ordinal() && kind != second.ordinal()) {
      throw in.broken("neither exact counts nor " + second.label());
    }
    long written = in.takeLong();
    if (total() == 0) {
      seed = written;
      counts = exact();
      variances = null;
    }
    if (kind == Algorithm.EXACT.ordinal()) {
      exact().read(in, this::makeRoom, this::update);
    } else if (total() == 0) {
      readSketches(in);
    } else {
      Adaptive other = new Adaptive(keyBytes, memory, second, hasVariances, written);
      other.readSketches(in);
      merge(other);
    }
  }

  /** Whether exact counts were written; reads nothing. */
  public static boolean isExact(BlockInput in) {
    return (in.nextInt() & 0xFF) == Algorithm.EXACT.ordinal();
  }

  /**
   * Passes the keys of written {@linkplain #isExact(BlockInput) exact counts} of such keys, in
   * reused blocks.
   *
   * @param keys first receives the number of keys
   */
  public void readExact(BlockInput in, IntConsumer keys, Consumer<KeyBlock> reader) {
    in.takeByte();
    in.takeLong();
    exact().read(in, keys, reader);
  }

  private void readSketches(BlockInput in) {
    makeSketches();
    counts.read(in);
    if (variances != null) {
      variances.read(in);
    }
  }
}
