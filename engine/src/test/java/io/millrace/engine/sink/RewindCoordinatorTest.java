package io.millrace.engine.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator.SubtaskGateway;
import org.junit.jupiter.api.Test;

class RewindCoordinatorTest {
  private static final int SUBTASKS = 3;

  private final List<Throwable> failures = new ArrayList<>();
  private final List<Integer> admitted = new ArrayList<>();
  private final List<Long> tokens = new ArrayList<>();
  private long clockMicros = 1_000;
  private final RewindCoordinator coordinator =
      new RewindCoordinator(
          proxy(
              OperatorCoordinator.Context.class,
              (method, arguments) -> {
                if (method.equals("failJob")) {
                  failures.add((Throwable) arguments[0]);
                }
                return method.equals("currentParallelism") ? SUBTASKS : null;
              }),
          () -> clockMicros);

  /** Answers calls by the method's name. */
  private interface Answers {
    Object answer(String method, Object[] arguments);
  }

  private static <T> T proxy(Class<T> type, Answers answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answers.answer(method.getName(), arguments)));
  }

  private void ready(int subtask) {
    coordinator.executionAttemptReady(
        subtask,
        0,
        proxy(
            SubtaskGateway.class,
            (method, arguments) -> {
              if (method.equals("sendEvent")) {
                if (arguments[0] instanceof RewindEvent.Rewind rewind) {
                  tokens.add(rewind.token());
                  assertThat(subtask).isZero();
                } else {
                  assertThat(((RewindEvent.Append) arguments[0]).token()).isEqualTo(lastToken());
                  admitted.add(subtask);
                }
              }
              return null; // nobody waits for the event to arrive
            }));
  }

  private long lastToken() {
    return tokens.get(tokens.size() - 1);
  }

  private void rewound() {
    rewound(lastToken());
  }

  private void rewound(long token) {
    coordinator.handleEventFromOperator(0, 0, new RewindEvent.Completion(token));
  }

  private void restartAll() {
    coordinator.resetToCheckpoint(1, new byte[0]);
    admitted.clear();
  }

  @Test
  void othersAppendOnlyAfterTheRewind() {
    ready(0);
    ready(1);
    assertThat(admitted).isEmpty();
    rewound();
    assertThat(admitted).containsExactly(1);
    ready(2);
    assertThat(admitted).containsExactly(1, 2);
    assertThat(failures).isEmpty();
  }

  @Test
  void aWholeRestartNeedsNoSecondOne() {
    for (int life = 0; life < 5; life++) {
      ready(1); // before subtask 0 has rewound, whatever was allowed in the previous attempt
      ready(0);
      ready(2);
      rewound();
      assertThat(admitted).containsExactlyInAnyOrder(1, 2);
      assertThat(failures).isEmpty();
      restartAll();
    }
  }

  @Test
  void aSubtaskThatRestartsAloneBringsTheWholeJobDown() {
    ready(0);
    ready(1);
    ready(2);
    rewound();
    coordinator.executionAttemptFailed(1, 0, null);
    ready(1);
    assertThat(failures).hasSize(1);
  }

  @Test
  void aRewindUnderASubtaskThatAppendsBringsTheWholeJobDown() {
    ready(0);
    ready(1);
    ready(2);
    rewound();
    coordinator.executionAttemptFailed(0, 0, null);
    ready(0);
    assertThat(failures).hasSize(1);
    assertThat(tokens).as("the rewind is not granted").hasSize(1);
  }

  @Test
  void everyAttemptHasAGreaterTokenWhateverTheClockDoes() {
    for (long clock : new long[] {1_000, 1_000, 5_000, 200, 200, 6_000}) {
      clockMicros = clock;
      ready(0);
      rewound();
      restartAll();
    }
    assertThat(tokens).containsExactly(1_000L, 1_001L, 5_000L, 5_001L, 5_002L, 6_000L);
    assertThat(failures).isEmpty();
  }

  @Test
  void aRewindOfAnEarlierAttemptAdmitsNoSubtask() {
    ready(0);
    long before = lastToken();
    restartAll();
    ready(0);
    ready(1);
    rewound(before);
    assertThat(admitted).isEmpty();
    rewound();
    assertThat(admitted).containsExactly(1);
  }

  @Test
  void aCheckpointBeginsWhenAllMayAppend() {
    CompletableFuture<byte[]> early = new CompletableFuture<>();
    coordinator.checkpointCoordinator(1, early);
    ready(0);
    ready(1);
    rewound();
    assertThat(early).isNotDone();
    ready(2);
    assertThat(early).isCompleted();
  }
}
