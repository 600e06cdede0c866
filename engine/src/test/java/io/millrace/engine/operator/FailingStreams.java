package io.millrace.engine.operator;

import java.io.IOException;
import java.util.List;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Checkpoint storage that is full when the checkpoint's own file is created. */
record FailingStreams(CheckpointStreamFactory streams) implements CheckpointStreamFactory {
  static final String MESSAGE = "no space left on device";

  @Override
  public CheckpointStateOutputStream createCheckpointStateOutputStream(CheckpointedStateScope scope)
      throws IOException {
    if (scope == CheckpointedStateScope.EXCLUSIVE) {
      throw new IOException(MESSAGE);
    }
    return streams.createCheckpointStateOutputStream(scope);
  }

  @Override
  public boolean canFastDuplicate(StreamStateHandle handle, CheckpointedStateScope scope) {
    return false;
  }

  @Override
  public List<StreamStateHandle> duplicate(
      List<StreamStateHandle> handles, CheckpointedStateScope scope) {
    throw new UnsupportedOperationException();
  }
}
