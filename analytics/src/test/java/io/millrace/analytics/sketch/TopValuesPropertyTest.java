package io.millrace.analytics.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class TopValuesPropertyTest {
  /** In order, uniform, or skewed, so that small numbers are frequent. */
  private static long value(Random random, int kind, int i, int values) {
    return switch (kind) {
      case 0 -> i % values;
      case 1 -> random.nextInt(values);
      default -> random.nextInt(1 + random.nextInt(values));
    };
  }

  @Property(tries = 200)
  void theBoundHoldsAlsoOfPartsPutTogether(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 20) int places,
      @ForAll @IntRange(min = 1, max = 100) int values,
      @ForAll @IntRange(min = 0, max = 2) int kind) {
    Random random = new Random(seed);
    Map<Long, Long> truth = new HashMap<>();
    TopValues first = new TopValues(places);
    TopValues second = new TopValues(places);
    long total = 0;
    for (int i = 0; i < 2_000; i++) {
      long value = value(random, kind, i, values);
      long weight = 1L + random.nextInt(10);
      (random.nextBoolean() ? first : second).add(value, weight);
      truth.merge(value, weight, Long::sum);
      total += weight;
    }
    BlockBuffer out = new BlockBuffer(16);
    second.write(out);
    TopValues read = new TopValues(places);
    read.read(new BlockInput(out.toBytes(), 0, out.length()));
    first.merge(read);

    Map<Long, Long> told = new HashMap<>();
    first.top().forEach(each -> told.put(each.value(), each.atLeast()));
    assertThat(told.size()).isLessThanOrEqualTo(places);
    long bound = total / (places + 1);
    truth.forEach(
        (value, weight) ->
            assertThat(told.getOrDefault(value, 0L)).isBetween(weight - bound, weight));
    assertThat(truth.keySet()).containsAll(told.keySet());
  }

  @Property(tries = 20)
  void whatFitsIsExact(@ForAll long seed, @ForAll @IntRange(min = 1, max = 16) int values) {
    Random random = new Random(seed);
    long[] truth = new long[values];
    TopValues top = new TopValues(16);
    for (int i = 0; i < 500; i++) {
      int value = random.nextInt(values);
      truth[value] += i + 1;
      top.add(value, i + 1);
    }
    top.top().forEach(each -> assertThat(each.atLeast()).isEqualTo(truth[(int) each.value()]));
    assertThat(top.top()).isSortedAccordingTo((a, b) -> Long.compare(b.atLeast(), a.atLeast()));
  }
}
