package io.millrace.analytics.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The formulas of the papers, and the keys that are always found, for any seeds. */
class SketchBoundsPropertyTest {
  private static final int KEY_BYTES = 13;
  private static final int ROWS = 20_000;
  private static final long MEMORY = 64 << 10;

  /** The bound exceeds the weight by more than 2N / w for at most one key in 2ʳ. */
  @Property(tries = 20)
  void mvExceedsByTwiceTheMeanOnlySeldom(@ForAll Stream.Kind kind, @ForAll long seed) {
    Stream stream = Stream.of(kind, KEY_BYTES, ROWS, new Random(seed));
    MvSketch sketch = stream.into(new MvSketch(KEY_BYTES, MEMORY, ~seed));
    long max = 2 * stream.total / sketch.width;
    List<Key> keys = stream.someKeys();
    long exceeding =
        keys.stream()
            .filter(key -> sketch.estimate(key).upper() - stream.weight(key) > max)
            .count();
    assertThat(exceeding).isLessThanOrEqualTo(keys.size() / 4);
  }

  /**
   * Weight subtracted in a bucket was subtracted from each of its entries and at least one other
   * key.
   */
  @Property(tries = 20)
  void ldSubtractsNoMoreThanItsBound(@ForAll Stream.Kind kind, @ForAll long seed) {
    Stream stream = Stream.of(kind, KEY_BYTES, ROWS, new Random(seed));
    LdSketch sketch = stream.into(new LdSketch(KEY_BYTES, MEMORY, Stream.KNOWN_SEED));
    long[] buckets = sketch.buckets();
    for (int i = 0; i < buckets.length; i += 3) {
      long weight = buckets[i];
      long takenOff = buckets[i + 1];
      long entries = buckets[i + 2];
      assertThat(2 * takenOff).isLessThanOrEqualTo(weight - entries);
    }
  }

  /** Bounds are at most 3.5 N / m apart. */
  @Property(tries = 20)
  void frequentItemsKeepTheirError(@ForAll Stream.Kind kind, @ForAll long seed) {
    Stream stream = Stream.of(kind, KEY_BYTES, ROWS, new Random(seed));
    FrequentItems sketch = stream.into(new FrequentItems(KEY_BYTES, MEMORY));
    assertThat(stream.someKeys().stream().map(sketch::estimate))
        .allMatch(estimate -> estimate.upper() - estimate.lower() <= 3.5 * stream.total / 1024);
  }

  @Provide
  Arbitrary<Algorithm> byMajority() {
    return Arbitraries.of(Algorithm.MV, Algorithm.CGT, Algorithm.FAST);
  }

  /** Whatever its weight, and whatever keys share its other buckets. */
  @Property(tries = 40)
  void aKeyWithMoreThanHalfOfABucketIsFound(
      @ForAll("byMajority") Algorithm algorithm, @ForAll Stream.Kind kind, @ForAll long seed) {
    Stream stream = Stream.of(kind, KEY_BYTES, ROWS / 4, new Random(seed));
    boolean isKnown = kind == Stream.Kind.CHOSEN;
    CellSketch sketch =
        (CellSketch)
            stream.into(algorithm.create(KEY_BYTES, MEMORY, isKnown ? Stream.KNOWN_SEED : ~seed));
    Map<Integer, Long> buckets = new HashMap<>();
    for (int row = 0; row < sketch.rows; row++) {
      for (Key key : stream.truth.keySet()) {
        buckets.merge(bucket(sketch, row, key), stream.weight(key), Long::sum);
      }
    }
    for (long threshold : new long[] {1, stream.total / 100}) {
      Set<Key> found =
          sketch.hitters(threshold).stream().map(Hitter::key).collect(Collectors.toSet());
      for (Key key : stream.hitters(threshold)) {
        for (int row = 0; row < sketch.rows; row++) {
          if (2 * stream.weight(key) > buckets.get(bucket(sketch, row, key))) {
            assertThat(found).contains(key);
          }
        }
      }
    }
  }

  /** A number that identifies a bucket. */
  private static int bucket(CellSketch sketch, int row, Key key) {
    return sketch instanceof BitCounters bits
        ? bits.bucket(row, key.words())
        : sketch.cell(row, key.words(), 0);
  }

  /** As long as there are few candidates, for which the memory is sized. */
  @Property(tries = 20)
  void sequentialHashingFindsAllKeysAtTheThreshold(@ForAll Stream.Kind kind, @ForAll long seed) {
    Stream stream = Stream.of(kind, KEY_BYTES, ROWS, new Random(seed));
    HitterSketch sketch = stream.into(new SequentialHashing(KEY_BYTES, 8 * MEMORY, ~seed));
    long threshold = stream.total / 100;
    assertThat(sketch.hitters(threshold))
        .extracting(Hitter::key)
        .containsAll(stream.hitters(threshold));
  }
}
