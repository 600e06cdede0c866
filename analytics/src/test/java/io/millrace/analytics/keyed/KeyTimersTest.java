package io.millrace.analytics.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import io.millrace.testing.Lengths;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyTimersTest {
  private final KeyTimers timers = new KeyTimers(KeyGroups.all());

  private static KeyBytes key(String name) {
    return new KeyBytes().text(name).number(7);
  }

  private static List<String> fire(KeyTimers of, long until) throws Exception {
    List<String> fired = new ArrayList<>();
    of.fire(until, (micros, key) -> fired.add(micros + " " + key.takeText() + key.takeNumber()));
    return fired;
  }

  private static void restore(KeyTimers to, StateSnapshot from, StateSnapshot before)
      throws IOException {
    for (int group = 0; group < KeyGroups.DEFAULT_MAX; group++) {
      BlockBuffer out = new BlockBuffer(16);
      if (before != null) {
        from.writeChanges(group, before, out);
      } else if (!from.isEmpty(group)) {
        from.write(group, out);
      } else {
        continue;
      }
      byte[] bytes = out.toBytes();
      to.restore(new BlockInput(bytes, 0, bytes.length));
    }
  }

  @Test
  void timersFireInTheOrderOfTimeAndKey() throws Exception {
    timers.set(20, key("late"));
    timers.set(10, key("b"));
    timers.set(10, key("a"));
    timers.set(10, key("a"));
    assertThat(fire(timers, 15)).containsExactly("10 a7", "10 a7", "10 b7");
    assertThat(timers.size()).isEqualTo(1);
    assertThat(fire(timers, 20)).containsExactly("20 late7");
  }

  @Test
  void timersThatAreSetWhileOthersFireAlsoFire() throws Exception {
    timers.set(10, key("a"));
    List<Long> fired = new ArrayList<>();
    timers.fire(
        12,
        (micros, key) -> {
          fired.add(micros);
          timers.set(micros + 1, key);
        });
    assertThat(fired).containsExactly(10L, 11L, 12L);
    assertThat(fire(timers, 13)).containsExactly("13 a7");
  }

  @Test
  void aSnapshotAndItsChangesAreRestored() throws Exception {
    timers.set(10, key("a"));
    timers.set(20, key("b"));
    timers.set(30, key("c"));
    StateSnapshot first = timers.snapshot();
    fire(timers, 10);
    timers.set(5, key("b"));
    StateSnapshot second = timers.snapshot();
    fire(timers, 100);

    KeyTimers restored = new KeyTimers(KeyGroups.all());
    restore(restored, first, null);
    assertThat(restored.size()).isEqualTo(3);
    restore(restored, second, first);
    assertThat(fire(restored, 100)).containsExactly("5 b7", "20 b7", "30 c7");
  }

  @Test
  void timersFireWithKeysOfAnyLengthAlsoAfterARestore() throws Exception {
    List<String> expected = new ArrayList<>();
    for (int length : Lengths.around()) {
      timers.set(length, key(Lengths.text(length)));
      expected.add(length + " " + Lengths.text(length) + 7);
    }
    KeyTimers restored = new KeyTimers(KeyGroups.all());
    restore(restored, timers.snapshot(), null);
    assertThat(fire(timers, Long.MAX_VALUE)).isEqualTo(expected);
    assertThat(fire(restored, Long.MAX_VALUE)).isEqualTo(expected);
  }
}
