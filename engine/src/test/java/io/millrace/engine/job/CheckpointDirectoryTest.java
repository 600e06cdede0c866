package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointDirectoryTest {
  @TempDir Path directory;

  private Path make(long id, String metadata) throws IOException {
    Path checkpoint = Files.createDirectory(directory.resolve("chk-" + id));
    Files.writeString(checkpoint.resolve("state"), "x");
    if (metadata != null) {
      Files.writeString(checkpoint.resolve("_metadata"), metadata);
    }
    return checkpoint;
  }

  @Test
  void thereIsNoCheckpoint() {
    CheckpointDirectory checkpoints = new CheckpointDirectory(directory.resolve("none"));
    assertThat(checkpoints.newest()).isEmpty();
    checkpoints.sweep(1);
    assertThat(checkpoints.problems()).isEmpty();
  }

  @Test
  void unreadableFilesAreSetAsideAndReported() throws IOException {
    Path damaged = make(9, "no metadata");
    make(10, null);
    CheckpointDirectory checkpoints = new CheckpointDirectory(directory);
    assertThat(checkpoints.newest()).isEmpty();
    assertThat(damaged).doesNotExist();
    assertThat(directory.resolve("unreadable-chk-9").resolve("state")).exists();
    assertThat(checkpoints.problems()).singleElement().asString().contains("checkpoint 9");
  }

  @Test
  void leftoversAreSwept() throws IOException {
    Path oldest = make(8, "m");
    Path older = make(9, "m");
    Path newest = make(10, "m");
    Path begun = make(11, null);
    Path other = Files.createDirectory(directory.resolve("shared"));
    new CheckpointDirectory(directory).sweep(2);
    assertThat(oldest).doesNotExist();
    assertThat(begun).doesNotExist();
    assertThat(older).exists();
    assertThat(newest).as("10 is newer than 9").exists();
    assertThat(other).exists();
  }
}
