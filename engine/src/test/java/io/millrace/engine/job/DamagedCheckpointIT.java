package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.Checkpoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * If a checkpoint cannot be read, the previous one is restored, or the log is read from its
 * beginning.
 */
class DamagedCheckpointIT extends LogToStoreFixture {
  private Path checkpoint(long id) throws IOException {
    return checkpoints().stream().filter(path -> path.endsWith("chk-" + id)).findFirst().get();
  }

  private static void damage(Path checkpoint) throws IOException {
    byte[] bytes = Files.readAllBytes(checkpoint.resolve("_metadata"));
    Arrays.fill(bytes, 0, bytes.length / 2, (byte) 0x5A);
    Files.write(checkpoint.resolve("_metadata"), bytes);
  }

  @Test
  void theNewestCheckpointIsDamaged() throws Exception {
    EmbeddedJob job = start(2, NEVER);
    write(30);
    awaitAll();
    long older = Checkpoints.take(job);
    write(20);
    awaitAll();
    long newest = Checkpoints.take(job);
    write(10);
    awaitAll();
    breakOff();
    damage(checkpoint(newest));

    job = start(2, NEVER);
    awaitAll();
    assertThat(job.restored()).contains(older);
    assertThat(store.rewound()).isEqualTo(30);
    long next = Checkpoints.take(job);
    assertThat(next).as("numbers are free again").isBetween(newest, newest + 1);
    breakOff();
    job = start(2, NEVER);
    assertThat(job.restored()).contains(next);
    awaitAll();
  }

  @Test
  void allCheckpointsAreDamaged() throws Exception {
    EmbeddedJob job = start(1, NEVER);
    write(30);
    awaitAll();
    Checkpoints.take(job);
    Checkpoints.take(job);
    breakOff();
    assertThat(checkpoints()).hasSize(CheckpointDirectory.KEPT);
    for (Path checkpoint : checkpoints()) {
      damage(checkpoint);
    }
    job = start(1, NEVER);
    awaitAll();
    assertThat(job.restored()).isEmpty();
    assertThat(store.rewound()).isEqualTo(30);
  }
}
