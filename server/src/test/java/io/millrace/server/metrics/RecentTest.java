package io.millrace.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RecentTest {
  private static final Duration TIMEOUT = Duration.ofMillis(1);
  private static final Executor AT_ONCE = Runnable::run;

  private final AtomicInteger value = new AtomicInteger();

  @Test
  void aValueComputedInTimeIsReturned() {
    Recent<Integer> recent = new Recent<>(value::incrementAndGet, AT_ONCE, Duration.ZERO, TIMEOUT);
    assertThat(recent.get()).isEqualTo(1);
    assertThat(recent.get()).isEqualTo(2);
  }

  @Test
  void aRecentValueIsNotRecomputed() {
    Recent<Integer> recent =
        new Recent<>(value::incrementAndGet, AT_ONCE, Duration.ofDays(1), TIMEOUT);
    assertThat(recent.get()).isEqualTo(1);
    assertThat(recent.get()).isEqualTo(1);
  }

  @Test
  void duringASlowComputationTheLastValueIsReturned() {
    Queue<Runnable> waiting = new ArrayDeque<>();
    boolean[] isBusy = {false};
    Executor executor =
        task -> {
          if (isBusy[0]) {
            waiting.add(task);
          } else {
            task.run();
          }
        };
    Recent<Integer> recent = new Recent<>(value::incrementAndGet, executor, Duration.ZERO, TIMEOUT);
    assertThat(recent.get()).isEqualTo(1);
    isBusy[0] = true;
    assertThat(recent.get()).isEqualTo(1);
    assertThat(recent.get()).isEqualTo(1);
    assertThat(waiting).hasSize(1);
    waiting.remove().run();
    isBusy[0] = false;
    assertThat(recent.get()).isEqualTo(3);
  }

  @Test
  void aTooOldValueIsNotReturned() {
    Recent<Integer> recent =
        new Recent<>(
            value::incrementAndGet,
            task -> new Thread(task).start(),
            Duration.ZERO,
            Duration.ZERO,
            Duration.ZERO);
    assertThat(recent.get()).isEqualTo(1);
    assertThat(recent.get()).isEqualTo(2);
  }

  @Test
  void callersWaitForARunningComputation() {
    Queue<Runnable> waiting = new ArrayDeque<>();
    Recent<Integer> recent =
        new Recent<>(value::incrementAndGet, waiting::add, Duration.ofDays(1), TIMEOUT);
    recent.refresh();
    recent.refresh();
    assertThat(waiting).hasSize(1);
    waiting.remove().run();
    assertThat(recent.get()).isEqualTo(1);
  }

  @Test
  void failuresAreThrownAndNotCached() {
    Recent<Integer> recent =
        new Recent<>(
            () -> {
              if (value.incrementAndGet() == 1) {
                throw new IllegalStateException("not now");
              }
              return value.get();
            },
            AT_ONCE,
            Duration.ZERO,
            TIMEOUT);
    assertThatThrownBy(recent::get).isInstanceOf(IllegalStateException.class).hasMessage("not now");
    assertThat(recent.get()).isEqualTo(2);
  }
}
