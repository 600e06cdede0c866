package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;

/**
 * Counts exactly for as long as the keys fit into the memory, and then goes on with a sketch, of
 * the same memory, that is given all that was counted. So an ordinary epoch is exact, and a flood
 * of new keys costs accuracy in place of memory.
 *
 * <p>{@link #algorithm} says which one it is. What was counted goes into the sketch as one row a
 * key, and the bounds of a sketch do not depend on the order or the size of rows, so they hold for
 * the whole epoch. The usual sketch is {@link MvSketch}: its bounds are certain, as those of exact
 * counting, and it is the quickest. Where parts of keys are asked for it is {@link CocoSketch}. For
 * the moment of moving, both are there.
 *
 * <p>It may add up variances of the weights besides: in the same entries while it counts exactly,
 * then in the same buckets of an MV-Sketch, or in a second sketch of another kind, each of half the
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

  /** A sketch of them; null where none are counted, and where they stand beside the weights. */
  private HitterSketch variances;

  /** Exact at first, an MV-Sketch then. */
  public Adaptive(int keyBytes, long memory, long seed) {
    this(keyBytes, memory, Algorithm.MV, seed);
  }

  /**
   * Exact at first.
   *
   * @param memory bytes that either of them may take
   * @param second what it is then
   */
  public Adaptive(int keyBytes, long memory, Algorithm second, long seed) {
    this(keyBytes, memory, second, false, seed);
  }

  /** The same that adds variances up too: it is updated with blocks that have them. */
  public static Adaptive withVariances(int keyBytes, long memory, Algorithm second, long seed) {
    return new Adaptive(keyBytes, memory, second, true, seed);
  }

  private Adaptive(int keyBytes, long memory, Algorithm second, boolean hasVariances, long seed) {
    if (second == Algorithm.EXACT) {
      throw new IllegalArgumentException("what follows exact counting is a sketch");
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

  /** What it counts with now: for questions that not all algorithms answer. */
  public HitterSketch counts() {
    return counts;
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

  /** Grows at once for as many more keys, as far as the memory allows, while it counts exactly. */
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
      throw new IllegalArgumentException("merged with " + other.algorithm() + ", of another shape");
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
   * @throws IllegalStateException if none are added up
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

  /** Sum of all variances, exact; 0 where none are added up. */
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
      throw new IllegalStateException("no variances are added up");
    }
  }

  /**
   * The weights, to be added up over parts of keys.
   *
   * @throws IllegalStateException if it counts by a sketch whose weights may not be: only exact
   *     counts and those of {@link CocoSketch} may
   */
  public Sums weights() {
    return new Sums(counts, UnaryOperator.identity());
  }

  /**
   * The variances, likewise.
   *
   * @throws IllegalStateException as above, or if none are added up
   */
  public Sums variances() {
    checkVariances();
    return variances == null
        ? new Sums(counts, KeyBlock::ofVariances)
        : new Sums(variances, UnaryOperator.identity());
  }

  /** Numbers of keys that may be added up over any part of the keys. */
  public static final class Sums {
    private final HitterSketch sketch;
    private final UnaryOperator<KeyBlock> column;

    private Sums(HitterSketch sketch, UnaryOperator<KeyBlock> column) {
      if (!(sketch instanceof ExactCounts || sketch instanceof CocoSketch)) {
        throw new IllegalStateException(
            "weights of " + sketch.algorithm().label() + " are not added up");
      }
      this.sketch = sketch;
      this.column = column;
    }

    /**
     * All keys with their numbers as weights, in blocks that are used again; a key may come twice.
     *
     * @param rows most rows of a block
     */
    public void forEachBlock(int rows, Consumer<KeyBlock> reader) {
      if (sketch instanceof ExactCounts exact) {
        exact.forEachBlock(rows, block -> reader.accept(column.apply(block)));
      } else {
        ((CocoSketch) sketch).forEachBlock(rows, reader);
      }
    }

    /** Whether they are exact. */
    public boolean isExact() {
      return sketch instanceof ExactCounts;
    }

    /** The variance that such a sum has by chance; 0 where they are exact. */
    public double variance(long sum) {
      return sketch instanceof CocoSketch coco ? coco.variance(sum) : 0;
    }
  }

  /**
   * A sum of such numbers with bounds that hold with a probability of 95%, whatever its
   * distribution.
   *
   * @param variance of the sum by chance
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

  /** Those that reach the threshold and the {@link #leastWeight}. */
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
   * Writes a part of a table of exact counts as {@link #write} does what counts exactly.
   *
   * @param seed that the part goes on with
   */
  public static void write(CountParts parts, int part, long seed, BlockBuffer out) {
    out.putByte(Algorithm.EXACT.ordinal());
    out.putLong(seed);
    parts.write(part, out);
  }

  /** Writes a segment as {@link #write} does what has moved on to an MV-Sketch. */
  public static void write(MvSegments segments, int segment, long seed, BlockBuffer out) {
    out.putByte(Algorithm.MV.ordinal());
    out.putLong(seed);
    segments.write(segment, out);
  }

  /** Adds all to a segment, where it counts by an MV-Sketch of that shape and seed. */
  public void addTo(MvSegments segments, int segment) {
    segments.merge(segment, (MvSketch) counts);
  }

  @Override
  public void read(BlockInput in) {
    counts = exact();
    variances = null;
    merge(in);
  }

  /**
   * Adds what was written of another one, which may have had more memory. One that is empty takes
   * its seed.
   */
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

  /** Whether exact counts were written, of which nothing is read yet. */
  public static boolean isExact(BlockInput in) {
    return (in.nextInt() & 0xFF) == Algorithm.EXACT.ordinal();
  }

  /**
   * Hands the keys of {@linkplain #isExact(BlockInput) exact counts} on that were written by one
   * such as this, in blocks that are used again.
   *
   * @param keys is told first how many there are
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
