package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.OperatorStateHandle.Mode;
import org.apache.flink.runtime.state.OperatorStateHandle.StateMetaInfo;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointMetadataOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointFilesTest {
  private static final int STATE_BYTES = 3_000;

  @TempDir Path root;

  private Path directory;
  private Path state;

  /** Writes a checkpoint with one file of state, as a job does. */
  static Path write(Path home) throws IOException {
    Path directory = home.resolve("chk-7");
    FileSystem files = FileSystem.get(directory.toUri());
    var path = new org.apache.flink.core.fs.Path(directory.resolve("state").toUri());
    try (FSDataOutputStream out = files.create(path, WriteMode.NO_OVERWRITE)) {
      for (int i = 0; i < STATE_BYTES / 3; i++) {
        out.write(i);
        out.write(new byte[] {1, (byte) i});
      }
    }
    OperatorState operator = new OperatorState("store", "store", new OperatorID(1, 2), 1, 128);
    operator.putState(
        0,
        OperatorSubtaskState.builder()
            .setManagedOperatorState(
                new OperatorStreamStateHandle(
                    Map.of("s", new StateMetaInfo(new long[] {0}, Mode.UNION)),
                    new FileStateHandle(path, STATE_BYTES)))
            .build());
    try (FsCheckpointMetadataOutputStream out =
        new FsCheckpointMetadataOutputStream(
            files,
            new org.apache.flink.core.fs.Path(directory.resolve("_metadata").toUri()),
            new org.apache.flink.core.fs.Path(directory.toUri()))) {
      Checkpoints.storeCheckpointMetadata(
          new CheckpointMetadata(7, List.of(operator), List.of()), new DataOutputStream(out));
      var unused = out.closeAndFinalizeCheckpoint();
    }
    return directory;
  }

  @BeforeEach
  void write() throws IOException {
    directory = write(root);
    state = directory.resolve("state");
  }

  @Test
  void flinkUsesTheSyncedFileSystem() throws IOException {
    assertThat(FileSystem.getUnguardedFileSystem(root.toUri()))
        .isInstanceOf(SyncedFileSystem.class);
  }

  @Test
  void wholeCheckpointIsTaken() {
    assertThatCode(() -> CheckpointFiles.read(directory).check()).doesNotThrowAnyException();
    assertThat(new CheckpointDirectory(root).newest()).isPresent();
  }

  @Test
  void eachFileIsRejectedWhenTruncated() throws IOException {
    for (Path file : List.of(directory.resolve("_metadata"), state)) {
      byte[] whole = Files.readAllBytes(file);
      for (int length = 0; length < whole.length; length++) {
        Files.write(file, java.util.Arrays.copyOf(whole, length));
        assertThatThrownBy(() -> CheckpointFiles.read(directory).check())
            .as("%s cut off at %d of %d", file, length, whole.length)
            .isInstanceOf(IOException.class);
      }
      Files.write(file, whole);
    }
  }

  @Test
  void eachFileIsRejectedWithOneBitChanged() throws IOException {
    for (Path file : List.of(directory.resolve("_metadata"), state)) {
      byte[] whole = Files.readAllBytes(file);
      for (int at = 0; at < whole.length; at++) {
        byte[] changed = whole.clone();
        changed[at] ^= (byte) (1 << (at % 8));
        Files.write(file, changed);
        assertThatThrownBy(() -> CheckpointFiles.read(directory).check())
            .as("%s changed at %d", file, at)
            .isInstanceOf(IOException.class);
      }
      Files.write(file, whole);
    }
  }

  @Test
  void missingFileIsNamed() throws IOException {
    Files.delete(state);
    CheckpointDirectory checkpoints = new CheckpointDirectory(root);
    assertThat(checkpoints.newest()).isEmpty();
    assertThat(checkpoints.problems())
        .singleElement()
        .asString()
        .contains("checkpoint 7 is damaged")
        .contains(state.toString());
  }
}
