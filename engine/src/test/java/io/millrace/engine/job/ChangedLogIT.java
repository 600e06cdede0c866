package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.Checkpoints;
import io.millrace.engine.SharedLog;
import io.millrace.testing.Await;
import io.millrace.wire.block.Frontier;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The log was replaced, or does not exist yet. */
class ChangedLogIT extends LogToStoreFixture {
  @Test
  void aTopicThatIsMadeAfterTheJob() throws Exception {
    String later = SharedLog.newName();
    writer.close();
    topic = later;
    store = TestStore.named(later);
    startFlink(2, NEVER);
    EmbeddedJob job = flink.submit(JOB, 2, steps(later, 2));
    Await.until("a first attempt", () -> job.status().restarts() > 0);
    assertThat(job.status().failure()).isPresent();
    SharedLog.make(later, PARTITIONS);
    begin(later);
    write(30);
    awaitAll();
  }

  @Test
  void anotherLogThanThatOfTheCheckpointIsRejected() throws Exception {
    EmbeddedJob job = start(2, NEVER);
    write(30);
    awaitAll();
    Checkpoints.take(job);
    job.stop(false);
    String shorter = SharedLog.newTopic(PARTITIONS);
    EmbeddedJob wrong = flink.submit(JOB, 2, steps(shorter, 2));
    assertThatThrownBy(() -> wrong.awaitEnd(Duration.ofMinutes(1)))
        .isInstanceOf(JobException.class)
        .hasMessageContaining("the log ends at offset 0");
    assertThat(store.rows()).isEqualTo(written);

    submit(2);
    write(10);
    awaitAll();
  }

  @Test
  void whatTheLogHasDeletedIsNotRewound() throws Exception {
    EmbeddedJob job = start(2, NEVER);
    write(30);
    awaitAll();
    Checkpoints.take(job);
    write(30);
    awaitAll();
    job.stop(false);
    Map<Integer, Long> deleted = new HashMap<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      deleted.put(partition, 15L);
    }
    SharedLog.deleteBefore(topic, new Frontier(deleted));
    submit(2);
    awaitAll();
    assertThat(store.lastRewind()).isEqualTo(new Frontier(deleted));
    assertThat(store.rewound()).isEqualTo(15);
  }
}
