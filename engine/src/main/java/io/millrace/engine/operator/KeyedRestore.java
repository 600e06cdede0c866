package io.millrace.engine.operator;

import io.millrace.analytics.KeyGroups;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.checkpoint.PrioritizedOperatorSubtaskState;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Restores the groups of a subtask, which may come from several former subtasks. */
final class KeyedRestore {
  private final KeyGroups groups;
  private final CloseableRegistry cancelled;
  private final GroupFile.Target target;

  /**
   * {@code target} receives the state of each non-empty group: the base, then all changes in order.
   */
  KeyedRestore(KeyGroups groups, CloseableRegistry cancelled, GroupFile.Target target) {
    this.groups = groups;
    this.cancelled = cancelled;
    this.target = target;
  }

  void restore(PrioritizedOperatorSubtaskState state) throws Exception {
    for (KeyedStateHandle handle : state.getJobManagerRawKeyedState()) {
      if (!(handle instanceof KeyGroupsStateHandle whole)) {
        throw new IOException("unknown kind of state in the checkpoint: " + handle);
      }
      KeyGroups stored = groups(handle);
      long[] offsets = new long[stored.size()];
      for (int i = 0; i < offsets.length; i++) {
        offsets[i] = whole.getOffsetForKeyGroup(stored.first() + i);
      }
      read(whole.getDelegateStateHandle(), stored, offsets);
    }
    for (KeyedStateHandle handle : state.getJobManagerManagedKeyedState()) {
      if (!(handle instanceof IncrementalRemoteKeyedStateHandle increments)) {
        throw new IOException("unknown kind of state in the checkpoint: " + handle);
      }
      List<StreamStateHandle> files =
          increments.getSharedState().stream()
              .sorted(Comparator.comparingInt(file -> Integer.parseInt(file.getLocalPath())))
              .map(HandleAndLocalPath::getHandle)
              .toList();
      KeyGroups stored = groups(handle);
      long[][] offsets = contents(increments.getMetaDataStateHandle(), stored, files.size());
      for (int i = 0; i < offsets.length; i++) {
        read(files.get(i), stored, offsets[i]);
      }
    }
  }

  private KeyGroups groups(KeyedStateHandle handle) {
    return new KeyGroups(
        groups.max(),
        handle.getKeyGroupRange().getStartKeyGroup(),
        handle.getKeyGroupRange().getEndKeyGroup());
  }

  private void read(StreamStateHandle file, KeyGroups stored, long[] offsets) throws Exception {
    try (FSDataInputStream in = file.openInputStream()) {
      cancelled.registerCloseable(in);
      int last = Math.min(stored.last(), groups.last());
      for (int group = Math.max(stored.first(), groups.first()); group <= last; group++) {
        long offset = offsets[group - stored.first()];
        if (offset != GroupFile.NO_OFFSET) {
          GroupFile.read(in, offset, group, target);
        }
      }
      cancelled.unregisterCloseable(in);
    }
  }

  private long[][] contents(StreamStateHandle contents, KeyGroups stored, int files)
      throws IOException {
    try (FSDataInputStream stream = contents.openInputStream()) {
      cancelled.registerCloseable(stream);
      DataInputStream in = new DataInputStream(new BufferedInputStream(stream));
      int version = in.readUnsignedByte();
      if (version != IncrementalSnapshot.VERSION) {
        throw new IOException("incremental state of version " + version + ", this release reads 1");
      }
      if (in.readInt() != stored.first()
          || in.readInt() != stored.size()
          || in.readInt() != files) {
        throw new IOException("corrupt checkpoint: the index does not match the incremental state");
      }
      long[][] offsets = new long[files][stored.size()];
      for (long[] of : offsets) {
        for (int i = 0; i < of.length; i++) {
          of[i] = in.readLong();
        }
      }
      cancelled.unregisterCloseable(stream);
      return offsets;
    }
  }
}
