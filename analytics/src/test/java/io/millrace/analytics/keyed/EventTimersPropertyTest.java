package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class EventTimersPropertyTest {
  private record Due(long micros, long first, long second) {}

  private static final Comparator<Due> ORDER =
      Comparator.comparingLong(Due::micros)
          .thenComparingLong(Due::first)
          .thenComparingLong(Due::second);

  @Property(tries = 300)
  void timersFireInOrderAndOnce(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    EventTimers timers = new EventTimers(KeyGroups.all());
    List<Due> waiting = new ArrayList<>();
    for (int round = 0; round < 10; round++) {
      for (int i = random.nextInt(40); i > 0; i--) {
        Due due = new Due(random.nextInt(50), random.nextInt(4), random.nextInt(4));
        timers.set(due.micros, Hash.of(due.first), due.first, due.second);
        waiting.add(due);
      }
      timers = random.nextBoolean() ? restored(timers) : timers;
      long until = random.nextInt(50);
      List<Due> fired = new ArrayList<>();
      timers.fire(
          until, (micros, hash, first, second) -> fired.add(new Due(micros, first, second)));

      List<Due> expected =
          waiting.stream().filter(due -> due.micros <= until).sorted(ORDER).toList();
      assertThat(fired).isEqualTo(expected);
      waiting.removeIf(due -> due.micros <= until);
      assertThat(timers.size()).isEqualTo(waiting.size());
      assertThat(timers.next())
          .isEqualTo(waiting.stream().mapToLong(Due::micros).min().orElse(Long.MAX_VALUE));
    }
  }

  private static EventTimers restored(EventTimers timers) throws Exception {
    EventTimers copy = new EventTimers(KeyGroups.all());
    StateSnapshot snapshot = timers.snapshot();
    for (int group = 0; group < KeyGroups.DEFAULT_MAX; group++) {
      BlockBuffer out = new BlockBuffer(16);
      snapshot.write(group, out);
      assertThat(snapshot.isEmpty(group)).isEqualTo(out.length() == Integer.BYTES);
      copy.restore(new BlockInput(out.bytes(), 0, out.length()));
    }
    return copy;
  }
}
