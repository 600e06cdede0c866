package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.Checkpoints;
import io.millrace.engine.job.TestStore.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A job is stopped or fails permanently, and another one continues from its position. */
class JobStopIT extends LogToStoreFixture {
  @Test
  void theJobIsStoppedAndContinuesInTheSameProcess() throws Exception {
    EmbeddedJob first = start(2, NEVER);
    write(40);
    awaitAll();
    Checkpoints.take(first); // so all subtasks run
    write(10);
    awaitAll();
    assertThat(first.stop(true)).isTrue();
    assertThat(first.ended()).isTrue();
    write(30);

    EmbeddedJob second = submit(2);
    awaitAll();
    assertThat(store.rewound()).isZero();
    Checkpoints.take(second);
    write(30);
    awaitAll();
    assertThat(second.stop(false)).isFalse();

    EmbeddedJob third = submit(1);
    write(20);
    awaitAll();
    assertThat(store.rewound()).isEqualTo(30);
    assertThat(third.status().running()).isTrue();
  }

  @Test
  void aJobThatRunsIsNotSubmittedAgain() throws Exception {
    EmbeddedJob job = start(1, NEVER);
    assertThatThrownBy(() -> flink.submit(JOB, 1, steps(topic, 1)))
        .isInstanceOf(JobException.class)
        .hasMessageContaining("job " + JOB)
        .hasMessageContaining("is already running");
    write(10);
    awaitAll();
    assertThat(job.ended()).isFalse();
  }

  @Test
  void valuesComeWhileTheJobStops() throws Exception {
    EmbeddedJob job = start(2, NEVER);
    write(40);
    awaitAll();
    Thread busy =
        new Thread(
            () -> {
              for (int i = 0; i < 200; i++) {
                write(2);
              }
            });
    busy.start();
    assertThat(job.stop(true)).isTrue();
    busy.join();
    submit(2);
    awaitAll();
  }

  @Test
  void aFailureThatNoRestartRepairsFailsOnce() throws Exception {
    store.failing(20, Fault.FOR_GOOD);
    EmbeddedJob job = start(1, NEVER);
    write(30);
    assertThatThrownBy(() -> job.awaitEnd(Duration.ofMinutes(1)))
        .isInstanceOf(JobException.class)
        .hasMessage("job " + JOB + " has failed: the store is of a newer release");
    assertThat(job.status().restarts()).isZero();
    assertThat(job.status().state()).isEqualTo("FAILED");
    assertThat(job.stop(true)).as("nothing is left to stop").isFalse();

    submit(1);
    awaitAll();
  }
}
