package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Weights of the keys of a stream, in memory that does not grow beyond what was given: the contract
 * of all algorithms of this package.
 *
 * <p>One thread fills a sketch with blocks for an epoch, asks it, and takes {@link #fresh} for the
 * next epoch; what it keeps of the epoch before is good for {@link #changers}. Analyzers in
 * parallel have a sketch each, of the same shape and seed, that are {@linkplain #merge merged} in
 * any order. Keys are kept whole, so that a reported key was in the stream, unless the algorithm
 * says otherwise. Not thread-safe.
 *
 * <p>Whoever knows the seed can choose keys that meet in one place of a sketch. So seeds are random
 * in operation, the same for all sketches that are merged or compared, and given in tests.
 */
public interface HitterSketch {
  /** Which one it is. */
  Algorithm algorithm();

  /** Width of the keys in bytes. */
  int keyBytes();

  /**
   * Adds the rows of a block, of keys of the same width. Weights are not negative, and their sum
   * stays below 2⁶².
   */
  void update(KeyBlock block);

  /**
   * Adds what another sketch of the same shape and seed has counted; that one stays as it is.
   *
   * @throws IllegalArgumentException if it is of another algorithm, shape or seed
   */
  void merge(HitterSketch other);

  /** Sum of all weights so far, exact. */
  long total();

  /**
   * What is known of a key.
   *
   * @return bounds that hold with the probability {@link #confidence}
   */
  Estimate estimate(Key key);

  /** With which probability the bounds of one key hold: 1 where they are certain. */
  double confidence();

  /** Least weight of keys that can be told from collisions; 1 if keys are kept. */
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
   * Tells upper bounds of the estimates of all keys that {@link #hitters} may tell, in no order; of
   * some keys more than one. Where counts are exact, the weight of each key.
   */
  default void forEachWeight(LongConsumer reader) {
    hitters(1).forEach(hitter -> reader.accept(hitter.estimate().value()));
  }

  /**
   * Keys whose estimate differs from an earlier epoch's by the threshold or more, the largest
   * change first. One of the two weights of such a key is that large itself, so only hitters of
   * either epoch are compared.
   *
   * @param previous of the earlier epoch, of whichever algorithm
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

  /** Bytes that it holds, keys of candidates among them. */
  long bytes();

  /** Writes all of it for a checkpoint. */
  void write(BlockBuffer out);

  /**
   * Takes what {@link #write} wrote in place of what is here, with the seed that was written.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are none, of a newer release,
   *     or of a sketch of another algorithm or shape; then the content of this one is undefined
   */
  void read(BlockInput in);
}
