package io.millrace.analytics.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The formulas of the papers, each for its algorithm. */
class SketchBoundsTest {
  private static final int KEY_BYTES = 13;
  private static final long MEMORY = 64 << 10;

  /**
   * Knowing the seed allows to defeat a sketch; one with another seed counts the same keys
   * correctly.
   */
  @ParameterizedTest
  @EnumSource(names = {"MV", "LD"})
  void keysChosenAgainstASeedAffectOnlyThatSeed(Algorithm algorithm) {
    Stream stream = Stream.of(Stream.Kind.CHOSEN, KEY_BYTES, 8_000, new Random(3));
    HitterSketch known = stream.into(algorithm.create(KEY_BYTES, MEMORY, Stream.KNOWN_SEED));
    HitterSketch other = stream.into(algorithm.create(KEY_BYTES, MEMORY, ~Stream.KNOWN_SEED));
    long min = stream.truth.values().stream().mapToLong(Long::longValue).min().getAsLong();
    for (Key key : stream.truth.keySet()) {
      assertThat(stream.weight(key))
          .isBetween(known.estimate(key).lower(), known.estimate(key).upper());
    }
    assertThat(apart(known, stream)).isGreaterThan(stream.total / 2);
    assertThat(apart(other, stream)).isLessThan(stream.total / 20);
    assertThat(other.hitters(min)).hasSize(stream.truth.size());
  }

  /** Sum over all keys of the distance between bounds. */
  private static long apart(HitterSketch sketch, Stream stream) {
    return stream.truth.keySet().stream()
        .map(sketch::estimate)
        .mapToLong(estimate -> estimate.upper() - estimate.lower())
        .sum();
  }

  /** Over many seeds, the mean is the weight, and the variance stays below f (N − f) / w. */
  @Test
  void cocoIsUnbiasedForKeysAndParts() {
    Stream stream = Stream.of(Stream.Kind.ZIPF, KEY_BYTES, 20_000, new Random(7));
    Key key = stream.hitters(stream.total / 100).get(0);
    Key mask = Key.mask(KEY_BYTES, 0, 3);
    Key part = key.and(mask);
    long partWeight =
        stream.truth.keySet().stream()
            .filter(k -> k.and(mask).equals(part))
            .mapToLong(stream::weight)
            .sum();
    int rounds = 300;
    double[] keys = new double[rounds];
    double[] parts = new double[rounds];
    int width = 0;
    SplittableRandom seeds = new SplittableRandom(8);
    for (int round = 0; round < rounds; round++) {
      CocoSketch sketch = stream.into(new CocoSketch(KEY_BYTES, 16 << 10, seeds.nextLong()));
      width = sketch.width;
      keys[round] = sketch.estimate(key).value();
      parts[round] =
          sketch.hitters(mask, 1).stream()
              .filter(hitter -> hitter.key().equals(part))
              .mapToLong(hitter -> hitter.estimate().value())
              .sum();
    }
    checkUnbiased(keys, stream.weight(key), stream.total, width);
    checkUnbiased(parts, partWeight, stream.total, width);
  }

  private static void checkUnbiased(double[] estimates, long weight, long total, int width) {
    double mean = 0;
    for (double estimate : estimates) {
      mean += estimate / estimates.length;
    }
    double variance = 0;
    for (double estimate : estimates) {
      variance += (estimate - weight) * (estimate - weight) / estimates.length;
    }
    double max = (double) weight * (total - weight) / width;
    assertThat(variance).isLessThanOrEqualTo(max);
    assertThat(mean)
        .isBetween(
            weight - 4 * Math.sqrt(max / estimates.length),
            weight + 4 * Math.sqrt(max / estimates.length));
  }

  /** Keys that differ in few bits collide as rarely as with independent hashes. */
  @Test
  void similarKeysCollideAsRarelyAsOthers() {
    int range = 1 << 12;
    int keys = 1 << 10;
    long collisions = 0;
    for (int seed = 0; seed < 50; seed++) {
      KeyHash hash = KeyHash.several(1, 2, seed)[0];
      int[] counts = new int[range];
      for (int i = 0; i < keys; i++) {
        int place =
            hash.place(new long[] {(long) i << 32, (long) i << 24}, 0, KeyHash.WHOLE, range);
        collisions += counts[place]++;
      }
    }
    double expected = 50.0 * keys * (keys - 1) / 2 / range;
    assertThat((double) collisions).isBetween(expected / 2, expected * 2);
  }

  @Test
  void placesOfABlockEqualThoseOfItsKeys() {
    Stream stream = Stream.of(Stream.Kind.DISTINCT, 37, 500, new Random(11));
    KeyHash hash = KeyHash.several(1, 5, 12)[0];
    for (KeyBlock block : stream.blocks) {
      for (int bits : new int[] {8, 64, 72, 296, KeyHash.WHOLE}) {
        long[] places = new long[block.rows()];
        hash.places(block, 0, block.rows(), bits, 1000, places);
        for (int row = 0; row < block.rows(); row++) {
          assertThat(places[row]).isEqualTo(hash.place(block.key(row).words(), 0, bits, 1000));
        }
      }
    }
  }
}
