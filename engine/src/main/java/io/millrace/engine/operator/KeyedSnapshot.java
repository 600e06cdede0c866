package io.millrace.engine.operator;

import io.millrace.analytics.keyed.KeyGroups;
import io.millrace.analytics.keyed.KeyedImage;
import io.millrace.wire.block.BlockBuffer;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.runtime.state.AsyncSnapshotCallable;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Writes an image to checkpoint storage, on a thread of the checkpoint's own: of each key group the
 * length of its state (int) and the bytes. A group without state has no bytes and no place, and is
 * not given back.
 */
final class KeyedSnapshot extends AsyncSnapshotCallable<SnapshotResult<KeyedStateHandle>> {
  private static final int FIRST_CAPACITY = 64 << 10;

  /** What Flink's reader takes for a group that was not written. */
  private static final long NO_OFFSET = -1;

  private final KeyedImage image;
  private final KeyGroups groups;
  private final CheckpointStreamFactory streams;

  KeyedSnapshot(KeyedImage image, KeyGroups groups, CheckpointStreamFactory streams) {
    this.image = image;
    this.groups = groups;
    this.streams = streams;
  }

  @Override
  protected SnapshotResult<KeyedStateHandle> callInternal() throws IOException {
    CheckpointStateOutputStream stream =
        streams.createCheckpointStateOutputStream(CheckpointedStateScope.EXCLUSIVE);
    // Closed from another thread if the checkpoint is given up; without a handle that deletes it.
    snapshotCloseableRegistry.registerCloseable(stream);
    long[] offsets = new long[groups.size()];
    boolean empty = true;
    DataOutputStream out = new DataOutputStream(stream);
    BlockBuffer buffer = new BlockBuffer(FIRST_CAPACITY);
    for (int group = groups.first(); group <= groups.last(); group++) {
      int i = group - groups.first();
      offsets[i] = NO_OFFSET;
      if (!image.isEmpty(group)) {
        offsets[i] = stream.getPos();
        buffer.clear();
        image.write(group, buffer);
        out.writeInt(buffer.length());
        out.write(buffer.bytes(), 0, buffer.length());
        empty = false;
      }
    }
    out.flush();
    if (!snapshotCloseableRegistry.unregisterCloseable(stream)) {
      throw new IOException("the checkpoint was given up");
    }
    if (empty) {
      stream.close();
      return SnapshotResult.empty();
    }
    StreamStateHandle written = stream.closeAndGetHandle();
    KeyGroupRange range = KeyGroupRange.of(groups.first(), groups.last());
    return SnapshotResult.of(
        new KeyGroupsStateHandle(new KeyGroupRangeOffsets(range, offsets), written));
  }

  /** Called once when all is over, be it written, failed, given up or never begun. */
  @Override
  protected void cleanupProvidedResources() {
    image.release();
  }
}
