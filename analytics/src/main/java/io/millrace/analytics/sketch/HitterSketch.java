package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Counts the weights of a stream's keys in bounded memory: the interface of all algorithms of this
 * package.
 *
 * <p>One thread updates a sketch with the blocks of an epoch, queries it, and takes {@link #fresh}
 * for the next epoch; the previous sketch serves {@link #changers}. Parallel analyzers have a
 * sketch each, of the same shape and seed, and {@linkplain #merge merge} them in any order. Keys
 * are kept in full, so that a reported key was in the stream, unless the algorithm's documentation
 * differs. Not thread-safe.
 *
 * <p>A known seed allows deliberate collisions. So seeds are random in operation, the same for all
 * sketches that are merged or compared, and fixed in tests.
 */
public interface HitterSketch {
  /** Algorithm of the sketch. */
  Algorithm algorithm();

  /** Width of the keys in bytes. */
  int keyBytes();

  /**
   * Adds the rows of a block, whose keys have the width of this sketch. Weights are not negative,
   * and their sum stays below 2⁶².
   */
  void update(KeyBlock block);

  /**
   * Merges another sketch of the same shape and seed, which is not changed.
   *
   * @throws IllegalArgumentException if it is of another algorithm, shape or seed
   */
  void merge(HitterSketch other);

  /** Sum of all weights so far, exact. */
  long total();

  /**
   * Estimates the weight of a key.
   *
   * @return estimate with bounds that hold with the probability {@link #confidence}
   */
  Estimate estimate(Key key);

  /** Probability with which the bounds of one key hold: 1 where they are certain. */
  double confidence();

  /** Minimum weight at which keys can be distinguished from collisions; 1 if keys are kept. */
  default long leastWeight() {
    return 1;
  }

  /**
   * Keys whose estimate reaches the threshold, the largest first; empty for none.
   *
   * @param threshold at least 1
   */
  List<Hitter> hitters(long threshold);

  /**
   * Passes upper bounds of the estimates of all keys that {@link #hitters} may return, unordered,
   * possibly several for a key; or the weight of each key if counts are exact.
   */
  default void forEachWeight(LongConsumer reader) {
    hitters(1).forEach(hitter -> reader.accept(hitter.estimate().value()));
  }

  /**
   * Keys whose estimate differs from an earlier epoch's by the threshold or more, the largest
   * change first. One of the two weights of such a key reaches it too, so only hitters of either
   * epoch are compared.
   *
   * @param previous of the earlier epoch, of any algorithm
   */
  default List<Hitter> changers(HitterSketch previous, long threshold) {
    Set<Key> candidates = new LinkedHashSet<>();
    hitters(threshold).forEach(hitter -> candidates.add(hitter.key()));
    previous.hitters(threshold).forEach(hitter -> candidates.add(hitter.key()));
    List<Hitter> changers = new ArrayList<>();
    for (Key key : candidates) {
      Estimate change = estimate(key).minus(previous.estimate(key));
      if (Math.abs(change.value()) >= threshold) {
        changers.add(new Hitter(key, change));
      }
    }
    changers.sort(Hitter.LARGEST_FIRST);
    return changers;
  }

  /** An empty sketch of the same shape and seed. */
  HitterSketch fresh();

  /** Memory in bytes, including keys of candidates. */
  long bytes();

  /** Writes the sketch for a checkpoint. */
  void write(BlockBuffer out);

  /**
   * Replaces this sketch, including its seed, with the output of {@link #write}.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are malformed, of a newer
   *     version, or of another algorithm or shape; the content is then undefined
   */
  void read(BlockInput in);
}
