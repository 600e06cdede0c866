package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.Checkpoints;
import io.millrace.engine.job.TestStore.Fault;
import io.millrace.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After any failure of the job, each value of the log is in the store exactly once. */
class ExactlyOnceIT extends LogToStoreFixture {
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void undisturbed(int parallelism) throws Exception {
    EmbeddedJob job = start(parallelism, OFTEN);
    for (int i = 0; i < 5; i++) {
      write(100);
    }
    awaitAll();
    assertThat(store.appended()).isEqualTo(values);
    assertThat(job.status().restarts()).isZero();
    assertThat(job.restored()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void theTargetFailsNowAndThen(int parallelism) throws Exception {
    Fault[] faults = {
      Fault.AT_APPEND, Fault.AFTER_FLUSH, Fault.AT_REWIND, Fault.BEFORE_FLUSH, Fault.AT_APPEND
    };
    store.failing(60, faults);
    EmbeddedJob job = start(parallelism, OFTEN);
    while (store.faultsLeft()) {
      write(20);
      Await.until("the store", () -> !store.faultsLeft() || store.rows().size() == values);
    }
    write(50);
    awaitAll();
    assertThat(job.status().restarts()).isEqualTo(faults.length);
    assertThat(store.appended()).isGreaterThan(values);
  }

  @Test
  void storingContinuesWhileACheckpointWaitsForTheDisk() throws Exception {
    EmbeddedJob job = start(2, NEVER);
    write(40);
    awaitAll();
    Checkpoints.take(job); // so all subtasks run
    CountDownLatch asked = new CountDownLatch(1);
    CompletableFuture<Void> disk = new CompletableFuture<>();
    store.syncing(
        () -> {
          asked.countDown();
          disk.join();
        });
    CompletableFuture<Long> checkpoint = CompletableFuture.supplyAsync(job::checkpoint);
    asked.await();
    write(30);
    awaitAll();
    assertThat(checkpoint).isNotDone();
    disk.complete(null);
    assertThat(checkpoint).succeedsWithin(1, TimeUnit.MINUTES);
  }

  @Test
  void withoutASyncThereIsNoCheckpoint() throws Exception {
    EmbeddedJob job = start(1, NEVER);
    write(40);
    awaitAll();
    long before = Checkpoints.take(job);
    store.syncing(
        () -> {
          throw new IllegalStateException("the disk fails");
        });
    write(30);
    awaitAll();
    assertThatThrownBy(job::checkpoint).isInstanceOf(JobException.class);
    breakOff();

    store.syncing(() -> {});
    job = start(1, NEVER);
    awaitAll();
    assertThat(job.restored()).contains(before);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void theProcessEndsBetweenTwoCheckpoints(int parallelism) throws Exception {
    EmbeddedJob job = start(parallelism, NEVER);
    write(40);
    awaitAll();
    long checkpoint = Checkpoints.take(job);
    write(30);
    awaitAll();
    breakOff();
    write(20);

    job = start(parallelism, NEVER);
    awaitAll();
    assertThat(job.restored()).contains(checkpoint);
    assertThat(store.rewound()).isEqualTo(30);
    assertThat(store.appended()).isEqualTo(40 + 30 + 30 + 20);
  }

  @Test
  void theProcessEndsBeforeTheFirstCheckpoint() throws Exception {
    start(2, NEVER);
    write(40);
    awaitAll();
    breakOff();
    for (Path checkpoint : checkpoints()) {
      Files.delete(checkpoint.resolve("_metadata")); // a checkpoint that was not completed
    }
    EmbeddedJob job = start(2, NEVER);
    awaitAll();
    assertThat(job.restored()).isEmpty();
    assertThat(store.rewound()).isEqualTo(40);
  }

  @Test
  void theParallelismChangesBetweenStarts() throws Exception {
    int[] parallelisms = {1, 2, 3, 1};
    for (int parallelism : parallelisms) {
      EmbeddedJob job = start(parallelism, NEVER);
      write(30);
      awaitAll();
      Checkpoints.take(job);
      write(10);
      awaitAll();
      breakOff();
    }
    assertThat(store.rewound()).isEqualTo(10L * (parallelisms.length - 1));
  }

  @Test
  void startsWithNothingNewReadNothing() throws Exception {
    EmbeddedJob job = start(2, NEVER);
    write(30);
    awaitAll();
    Checkpoints.take(job);
    for (int i = 0; i < 3; i++) {
      breakOff();
      EmbeddedJob again = start(2, NEVER);
      Checkpoints.take(again);
    }
    assertThat(store.appended()).isEqualTo(30);
    assertThat(store.rewound()).isZero();
    write(5);
    awaitAll();
    assertThat(store.appended()).isEqualTo(35);
  }
}
