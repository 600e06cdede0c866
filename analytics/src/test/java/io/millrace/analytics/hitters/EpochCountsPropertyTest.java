package io.millrace.analytics.hitters;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.sketch.Estimate;
import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongConsumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The largest changes are among the examined keys. */
class EpochCountsPropertyTest {
  private record Counts(Map<Key, Long> weights) implements EpochCounts {
    /** Most keys are light, and some keep their previous weight. */
    static Counts of(Random random, int keys, Counts before) {
      Map<Key, Long> weights = new HashMap<>();
      for (int i = 0; i < keys; i++) {
        Key key = Key.of((byte) random.nextInt(256), (byte) random.nextInt(4));
        long weight = 1L << random.nextInt(30);
        weights.put(key, before.weights.getOrDefault(key, weight) + random.nextInt(3));
      }
      return new Counts(weights);
    }

    @Override
    public long total() {
      return weights.values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public List<Hitter> hitters(long threshold) {
      return weights.entrySet().stream()
          .filter(each -> each.getValue() >= threshold)
          .map(each -> new Hitter(each.getKey(), exactly(each.getValue())))
          .toList();
    }

    private static Estimate exactly(long value) {
      return new Estimate(value, value, value);
    }

    /** Like a sketch: passes some keys twice, and more than the estimate. */
    @Override
    public void forEachWeight(LongConsumer reader) {
      weights
          .values()
          .forEach(
              weight -> {
                reader.accept(weight + weight % 3);
                reader.accept(weight);
              });
    }

    @Override
    public long value(Key key) {
      return weights.getOrDefault(key, 0L);
    }

    @Override
    public Map<Key, KeyEstimate> known(Collection<Key> keys) {
      throw new UnsupportedOperationException();
    }
  }

  private static List<Long> largest(List<Hitter> found, int most) {
    return found.stream()
        .map(hitter -> -Math.abs(hitter.estimate().value()))
        .sorted()
        .limit(most)
        .toList();
  }

  @Property(tries = 500)
  void asOfAll(
      @ForAll Random random,
      @ForAll @IntRange(min = 0, max = 300) int keys,
      @ForAll @IntRange(min = 1, max = 40) int most,
      @ForAll @IntRange(min = 1, max = 100) int threshold) {
    Counts before = Counts.of(random, keys, new Counts(Map.of()));
    Counts now = Counts.of(random, keys, before);
    assertThat(now.heaviest(threshold, most))
        .doesNotHaveDuplicates()
        .isSubsetOf(now.hitters(threshold));
    assertThat(largest(now.heaviest(threshold, most), most))
        .isEqualTo(largest(now.hitters(threshold), most));
    assertThat(now.changers(before, threshold, most)).isSubsetOf(now.changers(before, threshold));
    assertThat(largest(now.changers(before, threshold, most), most))
        .isEqualTo(largest(now.changers(before, threshold), most));
  }
}
