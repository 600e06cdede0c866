package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.List;
import java.util.function.Consumer;

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
 * <p>Not thread-safe.
 */
public final class Adaptive implements HitterSketch {
  private static final int ROWS = 256;

  private final int keyBytes;
  private final long memory;
  private final Algorithm second;
  private long seed;
  private HitterSketch counts;

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
    if (second == Algorithm.EXACT) {
      throw new IllegalArgumentException("what follows exact counting is a sketch");
    }
    this.keyBytes = keyBytes;
    this.memory = memory;
    this.second = second;
    this.seed = seed;
    counts = new ExactCounts(keyBytes, memory, seed);
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
        counts.update(block.from(row));
      }
    } else {
      counts.update(block);
    }
  }

  /**
   * All keys with weights that may be added up over any part of the keys, in blocks that are used
   * again; a key may come twice.
   *
   * @param rows most rows of a block
   * @throws IllegalStateException if it counts by a sketch whose weights may not: only exact counts
   *     and those of {@link CocoSketch} may
   */
  public void forEachBlock(int rows, Consumer<KeyBlock> reader) {
    if (counts instanceof ExactCounts exact) {
      exact.forEachBlock(rows, reader);
    } else {
      coco().forEachBlock(rows, reader);
    }
  }

  /**
   * The variance that such a sum of weights has by chance; 0 where they are exact.
   *
   * @throws IllegalStateException as above
   */
  public double variance(long sum) {
    return isExact() ? 0 : coco().variance(sum);
  }

  private CocoSketch coco() {
    if (counts instanceof CocoSketch coco) {
      return coco;
    }
    throw new IllegalStateException("weights of " + algorithm().label() + " are not added up");
  }

  /**
   * A sum of such weights with bounds that hold with a probability of 95%, whatever its
   * distribution.
   *
   * @param variance of the sum
   * @param total of all keys
   */
  public static Estimate spread(long sum, double variance, long total) {
    return CocoSketch.spread(sum, variance, total);
  }

  private void moveOn(ExactCounts exact) {
    counts = second.create(keyBytes, memory, seed);
    exact.forEachBlock(ROWS, counts::update);
  }

  @Override
  public void merge(HitterSketch other) {
    if (!(other instanceof Adaptive adaptive) || adaptive.second != second) {
      throw new IllegalArgumentException("merged with " + other.algorithm() + ", of another shape");
    }
    if (adaptive.counts instanceof ExactCounts exact) {
      exact.forEachBlock(ROWS, this::update);
      return;
    }
    if (counts instanceof ExactCounts exact) {
      moveOn(exact);
    }
    counts.merge(adaptive.counts);
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
  public List<Hitter> hitters(long threshold) {
    return counts.hitters(threshold);
  }

  @Override
  public List<Hitter> changers(HitterSketch previous, long threshold) {
    return counts.changers(
        previous instanceof Adaptive adaptive ? adaptive.counts : previous, threshold);
  }

  @Override
  public HitterSketch fresh() {
    return new Adaptive(keyBytes, memory, second, seed);
  }

  @Override
  public long bytes() {
    return counts.bytes();
  }

  @Override
  public void write(BlockBuffer out) {
    out.putByte(counts.algorithm().ordinal());
    out.putLong(seed);
    counts.write(out);
  }

  @Override
  public void read(BlockInput in) {
    int kind = in.takeByte();
    if (kind != Algorithm.EXACT.ordinal() && kind != second.ordinal()) {
      throw in.broken("neither exact counts nor " + second.label());
    }
    seed = in.takeLong();
    counts = Algorithm.values()[kind].create(keyBytes, memory, seed);
    counts.read(in);
  }
}
