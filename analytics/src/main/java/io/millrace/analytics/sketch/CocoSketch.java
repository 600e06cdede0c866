package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * CocoSketch of Zhang et al., "CocoSketch: High-performance sketch-based measurement over arbitrary
 * partial key query" (SIGCOMM 2021): a sample of keys, each with an unbiased weight, so that one
 * sketch of the full tuple serves every partial key.
 *
 * <pre>
 *   bucket  | weight | the key's words |
 * </pre>
 *
 * A key has a bucket in each of two rows. If it occupies one of them, the weight is added there.
 * Else it is added to the lighter one, which the key takes over with the probability weight / new
 * weight: the choice that adds the least variance and keeps every estimate unbiased.
 *
 * <p><b>Bounds</b>: the sum of the estimates of any set of keys has the expectation f, their
 * weight, and a variance of at most f (N − f) / w, with N the weight of all and w buckets a row. By
 * Chebyshev's inequality it is off by more than √(20 f (N − f) / w) with a probability of at most
 * 5%; f is taken to be the estimate. A full key's weight never exceeds the sum of its two buckets.
 *
 * <p><b>Good for</b> ad-hoc queries from one pass: by source, by port, by prefix, by any pair.
 * Choices are random, so runs with different seeds differ.
 */
public final class CocoSketch extends CellSketch {
  private static final int ROWS = 2;
  private static final int KEY = 1;
  private static final double CONFIDENCE = 0.95;

  private final long[] others = new long[CHUNK];

  /** State of the random generator, after the buckets, never 0. */
  private final int random;

  /** An empty sketch of at most {@code memory} bytes. */
  public CocoSketch(int keyBytes, long memory, long seed) {
    this(
        keyBytes, width(ROWS, KEY + KeyBlock.words(keyBytes), memory - Long.BYTES), seed, seed | 1);
  }

  private CocoSketch(int keyBytes, int width, long seed, long chance) {
    super(keyBytes, ROWS, width, KEY + KeyBlock.words(keyBytes), 1, seed);
    random = cells.length - 1;
    cells[random] = chance;
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.COCO;
  }

  @Override
  public double confidence() {
    return CONFIDENCE;
  }

  @Override
  public HitterSketch fresh() {
    return new CocoSketch(keyBytes, width, seed(), cells[random]);
  }

  @Override
  void add(KeyBlock block, int from, int count) {
    locate(0, block, from, count, places);
    locate(1, block, from, count, others);
    for (int i = 0; i < count; i++) {
      long weight = block.weights()[from + i];
      int one = (int) places[i];
      int two = (int) others[i];
      if (isKey(one, block, from + i)) {
        cells[one] += weight;
      } else if (isKey(two, block, from + i)) {
        cells[two] += weight;
      } else {
        int lighter = cells[one] <= cells[two] ? one : two;
        cells[lighter] += weight;
        if (isChosen(weight, cells[lighter])) {
          for (int word = 0; word < keyWords; word++) {
            cells[lighter + KEY + word] = block.word(word)[from + i];
          }
        }
      }
    }
  }

  private boolean isKey(int cell, KeyBlock block, int row) {
    boolean isKey = cells[cell + KEY] == block.word(0)[row];
    for (int word = 1; word < keyWords; word++) {
      isKey &= cells[cell + KEY + word] == block.word(word)[row];
    }
    return isKey;
  }

  /** True with the probability part / whole, by Marsaglia's xorshift and without a division. */
  private boolean isChosen(long part, long whole) {
    long next = cells[random];
    next ^= next << 13;
    next ^= next >>> 7;
    next ^= next << 17;
    cells[random] = next;
    return (next >>> 11) * 0x1.0p-53 * whole < part;
  }

  @Override
  public Estimate estimate(Key key) {
    long value = 0;
    long max = 0;
    for (int row = 0; row < ROWS; row++) {
      int cell = cell(row, key.words(), 0);
      max += cells[cell];
      value += isKey(cell + KEY, key.words()) ? cells[cell] : 0;
    }
    Estimate spread = spread(value);
    return new Estimate(value, spread.lower(), Math.min(max, spread.upper()));
  }

  private Estimate spread(long value) {
    return spread(value, variance(value), total());
  }

  static Estimate spread(long value, double variance, long total) {
    double off = Math.sqrt(variance / (1 - CONFIDENCE));
    long upper = Math.min(total, (long) Math.ceil(value + off));
    return new Estimate(value, Math.max(0, (long) Math.floor(value - off)), upper);
  }

  /** Variance of an unbiased sum; the maximum if the sum is near 0. */
  double variance(long value) {
    double part = Math.max((double) value, 1.0 / (1 - CONFIDENCE) * total() / width);
    return part * Math.max(0, total() - value) / width;
  }

  void forEachBlock(int rows, Consumer<KeyBlock> reader) {
    KeyBlock block = new KeyBlock(keyBytes, rows);
    for (int cell = 0; cell < random; cell += stride) {
      if (cells[cell] != 0) {
        block.add(cells, cell + KEY, cells[cell], 0);
        if (block.rows() == rows) {
          reader.accept(block);
          block.setRows(0);
        }
      }
    }
    if (block.rows() > 0) {
      reader.accept(block);
    }
  }

  @Override
  public List<Hitter> hitters(long threshold) {
    Set<Key> seen = new HashSet<>();
    List<Hitter> hitters = new ArrayList<>();
    for (int cell = 0; cell < random; cell += stride) {
      // A key that occupies both of its buckets has at least half in one.
      if (cells[cell] >= (threshold + 1) / 2) {
        Key key = key(cell + KEY);
        Estimate estimate = estimate(key);
        if (estimate.value() >= threshold && seen.add(key)) {
          hitters.add(new Hitter(key, estimate));
        }
      }
    }
    hitters.sort(Hitter.LARGEST_FIRST);
    return hitters;
  }

  /**
   * Masked keys with the threshold or more: by source, by prefix.
   *
   * @param mask of the same width
   */
  public List<Hitter> hitters(Key mask, long threshold) {
    Map<Key, Long> sums = new HashMap<>();
    for (int cell = 0; cell < random; cell += stride) {
      if (cells[cell] != 0) {
        sums.merge(key(cell + KEY).and(mask), cells[cell], Long::sum);
      }
    }
    List<Hitter> hitters = new ArrayList<>();
    sums.forEach(
        (key, weight) -> {
          if (weight >= threshold) {
            hitters.add(new Hitter(key, spread(weight)));
          }
        });
    hitters.sort(Hitter.LARGEST_FIRST);
    return hitters;
  }

  /** Keeps one of two keys, with the probability of its share of the weight, which is unbiased. */
  @Override
  void merge(long[] part, long[] others) {
    for (int cell = 0; cell < random; cell += stride) {
      cells[cell] += others[cell];
      if (others[cell] != 0 && isChosen(others[cell], cells[cell])) {
        System.arraycopy(others, cell + KEY, cells, cell + KEY, keyWords);
      }
    }
  }

  @Override
  void check(BlockInput in) {
    if (cells[random] == 0) {
      throw in.broken("invalid state of the random generator");
    }
  }
}
