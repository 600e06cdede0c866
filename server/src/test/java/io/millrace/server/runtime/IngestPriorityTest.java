package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class IngestPriorityTest {
  @Test
  void threadsCreatedMeanwhileHaveHigherPriority() {
    Thread first = IngestPriority.raised(() -> new Thread(() -> {}));
    assertThat(first.getPriority())
        .isBetween(Thread.NORM_PRIORITY + 1, Thread.MAX_PRIORITY - 1); // the UDP reader's
    assertThat(new Thread(() -> {}).getPriority()).isEqualTo(Thread.NORM_PRIORITY);
  }

  @Test
  void aFailedStartLeavesNothingRunning() {
    assertThatThrownBy(
            () ->
                IngestPriority.raised(
                    (Runnable)
                        () -> {
                          throw new IllegalStateException("no");
                        }))
        .hasMessage("no");
    assertThat(Thread.currentThread().getPriority()).isEqualTo(Thread.NORM_PRIORITY);
  }
}
