package io.millrace.engine.operator;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import java.io.IOException;
import org.apache.flink.runtime.state.AsyncSnapshotCallable;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/** Writes a full snapshot to a file of this checkpoint alone. */
final class KeyedSnapshot extends AsyncSnapshotCallable<SnapshotResult<KeyedStateHandle>> {
  private final SharedSnapshot snapshot;
  private final KeyGroups groups;
  private final CheckpointStreamFactory streams;
  private final Increments increments;

  KeyedSnapshot(
      SharedSnapshot snapshot,
      KeyGroups groups,
      CheckpointStreamFactory streams,
      Increments increments) {
    this.snapshot = snapshot;
    this.groups = groups;
    this.streams = streams;
    this.increments = increments;
  }

  @Override
  protected SnapshotResult<KeyedStateHandle> callInternal() throws IOException {
    GroupFile file =
        GroupFile.write(
            this::write,
            groups,
            streams.createCheckpointStateOutputStream(CheckpointedStateScope.EXCLUSIVE),
            snapshotCloseableRegistry);
    increments.writtenWhole(file == null ? 0 : file.handle().getStateSize());
    if (file == null) {
      return SnapshotResult.empty();
    }
    KeyGroupRange range = KeyGroupRange.of(groups.first(), groups.last());
    return SnapshotResult.of(
        new KeyGroupsStateHandle(new KeyGroupRangeOffsets(range, file.offsets()), file.handle()));
  }

  private boolean write(int group, BlockBuffer out) throws IOException {
    if (snapshot.snapshot().isEmpty(group)) {
      return false;
    }
    snapshot.snapshot().write(group, out);
    return true;
  }

  /** Called once at the end: after the write, a failure, an abort, or if it never began. */
  @Override
  protected void cleanupProvidedResources() {
    snapshot.release();
  }
}
