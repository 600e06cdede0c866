package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class SequenceTrackerPropertyTest {
  /** An arrival: a 64-bit number, which never wraps, and its position in the order of arrival. */
  private record Arrival(long number, double place) {}

  @Property
  void countsEqualThoseOfAnExactModel(
      @ForAll long seed,
      @ForAll int base,
      @ForAll @IntRange(min = 1, max = 3_000) int sent,
      @ForAll @IntRange(max = 90) int lossPercent,
      @ForAll @IntRange(max = 20) int duplicatePercent,
      @ForAll @IntRange(max = 200) int reach) {
    Random random = new Random(seed);
    List<Arrival> arrivals = new ArrayList<>();
    for (int i = 0; i < sent; i++) {
      if (random.nextInt(100) >= lossPercent) {
        arrivals.add(new Arrival(i, i + random.nextDouble() * reach));
        if (random.nextInt(100) < duplicatePercent) {
          arrivals.add(new Arrival(i, i + random.nextDouble() * reach));
        }
      }
    }
    arrivals.sort(Comparator.comparingDouble(Arrival::place));

    SequenceTracker tracker = new SequenceTracker();
    Set<Long> model = new HashSet<>();
    long highest = Long.MIN_VALUE;
    long beforeFirst = 0;
    long duplicates = 0;
    long late = 0;
    long changes = 0;
    for (Arrival arrival : arrivals) {
      changes += tracker.observe((int) (base + arrival.number()), (int) arrival.number(), 0);
      if (!model.add(arrival.number())) {
        duplicates++;
      } else if (arrival.number() < highest) {
        late++;
        beforeFirst += arrival.number() < arrivals.get(0).number() ? 1 : 0;
      }
      highest = Math.max(highest, arrival.number());
    }

    long expectedSent =
        arrivals.isEmpty() ? 0 : highest - arrivals.get(0).number() + 1 + beforeFirst;
    assertThat(tracker.sent()).isEqualTo(expectedSent);
    assertThat(tracker.missing()).isEqualTo(expectedSent - model.size()).isEqualTo(changes);
    assertThat(tracker.duplicates()).isEqualTo(duplicates);
    assertThat(tracker.late()).isEqualTo(late);
    assertThat(tracker.resets() + tracker.strays()).isZero();
  }

  @Property
  void sumHoldsForArbitraryNumbers(
      @ForAll @Size(max = 300) List<@IntRange(min = -70_000, max = 70_000) Integer> steps,
      @ForAll @Size(max = 300) List<Integer> uptimes) {
    SequenceTracker tracker = new SequenceTracker();
    int sequence = 0;
    int arrived = 0;
    for (int step : steps) {
      sequence += step;
      int uptime = uptimes.isEmpty() ? 0 : uptimes.get(arrived % uptimes.size());
      tracker.observe(sequence, uptime, 0);
      arrived++;
      assertThat(tracker.sent()).isEqualTo(arrived - tracker.duplicates() + tracker.missing());
      assertThat(tracker.missing()).isNotNegative();
    }
  }
}
