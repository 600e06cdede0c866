package io.millrace.engine.operator;

import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.BlockBuffer;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.AsyncSnapshotCallable;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PlaceholderStreamStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Writes an incremental snapshot: the changes since the last completed checkpoint, or a base for
 * later changes. Flink's registry counts the checkpoints that use the shared files, and deletes
 * them after the last.
 *
 * <p>Table of contents, of this checkpoint alone: version (byte), first group and number of groups
 * (ints), number of files (int), and for each the offsets of its groups (longs).
 */
final class IncrementalSnapshot extends AsyncSnapshotCallable<SnapshotResult<KeyedStateHandle>> {
  static final int VERSION = 1;

  private final long checkpoint;
  private final SharedSnapshot snapshot;
  private final Increments.WrittenFiles before;
  private final KeyGroups groups;
  private final CheckpointStreamFactory streams;
  private final Increments increments;

  /**
   * The caller holds both snapshots until this one ends; {@code before} is null to write a base.
   */
  IncrementalSnapshot(
      long checkpoint,
      SharedSnapshot snapshot,
      Increments.WrittenFiles before,
      KeyGroups groups,
      CheckpointStreamFactory streams,
      Increments increments) {
    this.checkpoint = checkpoint;
    this.snapshot = snapshot;
    this.before = before;
    this.groups = groups;
    this.streams = streams;
    this.increments = increments;
  }

  @Override
  protected SnapshotResult<KeyedStateHandle> callInternal() throws Exception {
    GroupFile file =
        GroupFile.write(
            this::write,
            groups,
            streams.createCheckpointStateOutputStream(CheckpointedStateScope.SHARED),
            snapshotCloseableRegistry);
    List<GroupFile> files = new ArrayList<>(before == null ? List.of() : before.files());
    List<HandleAndLocalPath> shared = new ArrayList<>();
    for (GroupFile earlier : files) {
      shared.add(named(shared.size(), placeholder(earlier.handle())));
    }
    if (file != null) {
      shared.add(named(shared.size(), file.handle()));
      files.add(file);
    }
    if (before == null) {
      increments.writtenWhole(file == null ? 0 : file.handle().getStateSize());
    }
    if (files.isEmpty()) {
      return SnapshotResult.empty();
    }
    StreamStateHandle contents = writeContents(files, file);
    increments.written(checkpoint, new Increments.WrittenFiles(snapshot, List.copyOf(files)));
    return SnapshotResult.of(
        new IncrementalRemoteKeyedStateHandle(
            increments.id(),
            KeyGroupRange.of(groups.first(), groups.last()),
            checkpoint,
            shared,
            List.of(),
            contents,
            contents.getStateSize() + (file == null ? 0 : file.handle().getStateSize())));
  }

  private boolean write(int group, BlockBuffer out) throws IOException {
    if (before != null) {
      return snapshot.snapshot().writeChanges(group, before.snapshot().snapshot(), out);
    }
    if (snapshot.snapshot().isEmpty(group)) {
      return false;
    }
    snapshot.snapshot().write(group, out);
    return true;
  }

  private static HandleAndLocalPath named(int number, StreamStateHandle handle) {
    return HandleAndLocalPath.of(handle, Integer.toString(number));
  }

  private static StreamStateHandle placeholder(StreamStateHandle handle) {
    return new PlaceholderStreamStateHandle(
        handle.getStreamStateHandleID(), handle.getStateSize(), false);
  }

  /** Writes the table of contents. Deletes the new file on failure, since nothing refers to it. */
  private StreamStateHandle writeContents(List<GroupFile> files, GroupFile latest)
      throws Exception {
    try {
      CheckpointStateOutputStream stream =
          streams.createCheckpointStateOutputStream(CheckpointedStateScope.EXCLUSIVE);
      snapshotCloseableRegistry.registerCloseable(stream);
      DataOutputStream out = new DataOutputStream(new BufferedOutputStream(stream));
      out.writeByte(VERSION);
      out.writeInt(groups.first());
      out.writeInt(groups.size());
      out.writeInt(files.size());
      for (GroupFile file : files) {
        for (long offset : file.offsets()) {
          out.writeLong(offset);
        }
      }
      out.flush();
      if (!snapshotCloseableRegistry.unregisterCloseable(stream)) {
        throw new IOException("the checkpoint was aborted");
      }
      return stream.closeAndGetHandle();
    } catch (IOException e) {
      if (latest != null) {
        latest.handle().discardState();
      }
      throw e;
    }
  }

  /** Called once at the end: after the write, a failure, an abort, or if it never began. */
  @Override
  protected void cleanupProvidedResources() {
    snapshot.release();
    if (before != null) {
      before.snapshot().release();
    }
  }
}
