package io.millrace.analytics.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The formulas of the papers, each for its algorithm. */
class SketchBoundsTest {
  private static final int KEY_BYTES = 13;

  /** Exceeds the weight by more than 2N / w for one key in 2ʳ at most. */
  @Test
  void mvExceedsByTwiceTheMeanOnlySeldom() {
    for (Stream.Kind kind : Stream.Kind.values()) {
      Stream stream = Stream.of(kind, KEY_BYTES, 50_000, new Random(1));
      MvSketch sketch = stream.into(new MvSketch(KEY_BYTES, 64 << 10, 2));
      long most = 2 * stream.total / sketch.width;
      long exceeding =
          stream.someKeys().stream()
              .filter(key -> sketch.estimate(key).upper() - stream.weight(key) > most)
              .count();
      assertThat(exceeding).as("%s", kind).isLessThanOrEqualTo(stream.someKeys().size() / 4);
    }
  }

  /**
   * Keys that one bucket has: who knows the seed blinds a sketch, and one with another seed counts
   * them all.
   */
  @Test
  void keysChosenAgainstASeedHarmThatSeedAlone() {
    MvSketch known = new MvSketch(KEY_BYTES, 64 << 10, 77);
    Stream stream = new Stream(KEY_BYTES, new Random(3));
    KeyHash[] hashes = KeyHash.several(known.rows, 2, 77);
    int chosen = 0;
    while (chosen < 40) {
      Key key = stream.randomKey();
      if (hashes[0].place(key.words(), 0, KeyHash.WHOLE, known.width) < 8
          && hashes[1].place(key.words(), 0, KeyHash.WHOLE, known.width) < 8) {
        stream.add(key, 100);
        chosen++;
      }
    }
    for (int round = 0; round < 10; round++) {
      stream.truth.keySet().forEach(key -> stream.blocks.add(one(key, 100)));
    }
    stream.truth.replaceAll((key, weight) -> weight + 1_000);
    stream.into(known);
    MvSketch other = stream.into(new MvSketch(KEY_BYTES, 64 << 10, 78));
    assertThat(known.hitters(1_100)).hasSizeLessThan(60);
    for (Key key : stream.truth.keySet()) {
      long weight = stream.weight(key);
      assertThat(weight).isBetween(known.estimate(key).lower(), known.estimate(key).upper());
      assertThat(other.estimate(key).value()).isEqualTo(weight);
    }
    assertThat(stream.truth.keySet())
        .anySatisfy(key -> assertThat(known.estimate(key).upper()).isGreaterThan(2_000));
    assertThat(other.hitters(1_100)).hasSize(40);
  }

  private static KeyBlock one(Key key, long weight) {
    KeyBlock block = new KeyBlock(key.length(), 1);
    block.add(key, weight);
    return block;
  }

  /** What a bucket took off it took off each of its entries and one key more, of one at least. */
  @Test
  void ldTakesOffNoMoreThanItsEntriesLack() {
    for (Stream.Kind kind : Stream.Kind.values()) {
      Stream stream = Stream.of(kind, KEY_BYTES, 50_000, new Random(5));
      LdSketch sketch = stream.into(new LdSketch(KEY_BYTES, 64 << 10, 6));
      long[] buckets = sketch.buckets();
      for (int i = 0; i < buckets.length; i += 3) {
        long weight = buckets[i];
        long takenOff = buckets[i + 1];
        long entries = buckets[i + 2];
        assertThat(2 * takenOff).isLessThanOrEqualTo(weight - entries);
      }
    }
  }

  /** Over many seeds the mean is the weight, and the variance stays below f (N − f) / w. */
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
    double most = (double) weight * (total - weight) / width;
    assertThat(variance).isLessThanOrEqualTo(most);
    assertThat(mean)
        .isBetween(
            weight - 4 * Math.sqrt(most / estimates.length),
            weight + 4 * Math.sqrt(most / estimates.length));
  }

  /** Bounds are at most 3.5 N / m apart. */
  @Test
  void frequentItemsKeepTheirError() {
    for (Stream.Kind kind : Stream.Kind.values()) {
      Stream stream = Stream.of(kind, KEY_BYTES, 50_000, new Random(9));
      FrequentItems sketch = stream.into(new FrequentItems(KEY_BYTES, 64 << 10));
      for (Key key : stream.someKeys()) {
        Estimate estimate = sketch.estimate(key);
        assertThat((double) estimate.upper() - estimate.lower())
            .isLessThanOrEqualTo(3.5 * stream.total / 1024);
      }
    }
  }

  /** As many collisions as of independent places, for keys that differ in few bits. */
  @Test
  void similarKeysMeetAsSeldomAsOthers() {
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
  void aBlockHasThePlacesOfItsKeys() {
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
