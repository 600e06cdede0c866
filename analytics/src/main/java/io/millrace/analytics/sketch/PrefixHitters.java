package io.millrace.analytics.sketch;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Hierarchical heavy hitters: prefixes that are heavy without the heavy prefixes within them. After
 * Mitzenmacher, Steinke and Thaler, "Hierarchical heavy hitters with the space saving algorithm"
 * (ALENEX 2012), with a sketch of any kind for each length; or with one {@link CocoSketch} or
 * {@link ExactCounts} of whole keys, by {@link #find}.
 *
 * <pre>
 *   10.0.0.0/8      weight 100   own 20    of which 60 are 10.1.0.0/16's and 20 are 10.2.3.4's
 *   10.1.0.0/16     weight  60   own 60
 *   10.2.3.4/32     weight  20   own 20
 * </pre>
 *
 * The own weight of a prefix is its weight less those of the next reported prefixes below it; it is
 * reported if that reaches the threshold. Bounds combine: the lower bound of the own weight
 * subtracts the upper bounds of those below. Not thread-safe.
 */
public final class PrefixHitters {
  /**
   * A heavy prefix.
   *
   * @param prefix followed by zeros
   * @param mask bits of the key in the prefix
   * @param estimate its total weight
   * @param own its weight without the reported ones below
   */
  public record PrefixHitter(Key prefix, Key mask, Estimate estimate, Estimate own) {}

  private final List<Key> masks = new ArrayList<>();
  private final Map<Key, HitterSketch> sketches = new HashMap<>();
  private final KeyBlock masked;

  /**
   * Empty sketches.
   *
   * @param lengths of prefixes in bits, at most those of a key
   * @param memory bytes of all of them, in equal shares
   * @param rows maximum rows of a block
   */
  public PrefixHitters(
      Algorithm algorithm, int keyBytes, List<Integer> lengths, long memory, int rows, long seed) {
    List<Integer> longestFirst = new ArrayList<>(lengths);
    longestFirst.sort(Collections.reverseOrder());
    for (int bits : longestFirst) {
      Key mask = Key.mask(keyBytes, 0, bits);
      masks.add(mask);
      sketches.put(mask, algorithm.create(keyBytes, memory / lengths.size(), seed));
    }
    masked = new KeyBlock(keyBytes, rows);
  }

  /** Adds the rows of a block. */
  public void update(KeyBlock block) {
    masked.setRows(block.rows());
    System.arraycopy(block.weights(), 0, masked.weights(), 0, block.rows());
    for (Key mask : masks) {
      for (int word = 0; word < mask.words().length; word++) {
        long bits = mask.word(word);
        for (int row = 0; row < block.rows(); row++) {
          masked.word(word)[row] = block.word(word)[row] & bits;
        }
      }
      sketches.get(mask).update(masked);
    }
  }

  /** The heavy prefixes, longest first. */
  public List<PrefixHitter> hitters(long threshold) {
    return find(masks, mask -> sketches.get(mask).hitters(threshold), threshold);
  }

  /**
   * Finds the heavy prefixes, longest first.
   *
   * @param masks of prefixes of the same part of a key, longest first
   * @param byMask returns the hitters of a mask
   * @param threshold least own weight
   */
  public static List<PrefixHitter> find(
      List<Key> masks, Function<Key, List<Hitter>> byMask, long threshold) {
    List<PrefixHitter> found = new ArrayList<>();
    List<Hitter> open =
        new ArrayList<>(); // reported prefixes that are not within another reported one
    for (Key mask : masks) {
      Map<Key, Estimate> below = new HashMap<>();
      open.forEach(
          hitter -> below.merge(hitter.key().and(mask), hitter.estimate(), Estimate::plus));
      for (Hitter hitter : byMask.apply(mask)) {
        Estimate own = hitter.estimate();
        if (below.containsKey(hitter.key())) {
          own = own.minus(below.get(hitter.key()));
        }
        if (own.value() >= threshold) {
          found.add(new PrefixHitter(hitter.key(), mask, hitter.estimate(), own));
          open.removeIf(other -> other.key().and(mask).equals(hitter.key()));
          open.add(hitter);
        }
      }
    }
    return found;
  }
}
