package io.millrace.engine.operator;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.KeyedState;
import java.io.IOException;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SnapshotType.SharingFilesStrategy;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the keyed state of a step in checkpoints: the bytes of each key group are separate, and
 * every subtask restores those of its range, whatever the parallelism was. State that is written
 * whole is Flink's raw keyed state; incremental state takes the place of a keyed backend's, so that
 * Flink counts, deletes and distributes its files. Another thread writes a snapshot. Used by the
 * step's thread.
 */
final class KeyedStateHost {
  private static final Logger LOG = LoggerFactory.getLogger(KeyedStateHost.class);

  private final KeyedState state;
  private final KeyGroups groups;
  private final CloseableRegistry writing = new CloseableRegistry();
  private final Increments increments = new Increments();
  private final Counter snapshots;
  private final Counter snapshotNanos;

  KeyedStateHost(KeyedState state, Subtask subtask, StreamTask<?, ?> task, OperatorID operator)
      throws Exception {
    this.state = state;
    groups = subtask.keyGroups();
    snapshots = subtask.metrics().counter("snapshots");
    snapshotNanos = subtask.metrics().counter("snapshotNanos");
    new KeyedRestore(groups, task.getCancelables(), state::restore)
        .restore(task.getEnvironment().getTaskStateManager().prioritizedOperatorState(operator));
  }

  void snapshot(
      long checkpointId,
      CheckpointOptions options,
      CheckpointStreamFactory streams,
      OperatorSnapshotFutures futures)
      throws Exception {
    long start = System.nanoTime();
    SharedSnapshot snapshot = new SharedSnapshot(state.snapshot());
    snapshotNanos.inc(System.nanoTime() - start);
    snapshots.inc();
    SharingFilesStrategy sharing = options.getCheckpointType().getSharingFilesStrategy();
    if (sharing == SharingFilesStrategy.NO_SHARING
        || increments.wholeBytes() < state.incrementalFrom()) {
      if (sharing != SharingFilesStrategy.NO_SHARING) {
        increments.clear(); // a checkpoint without the shared files ends their use
      }
      futures.setKeyedStateRawFuture(
          new KeyedSnapshot(snapshot, groups, streams, increments)
              .toAsyncSnapshotFutureTask(writing));
      return;
    }
    increments.begin(checkpointId);
    Increments.WrittenFiles before =
        sharing == SharingFilesStrategy.FORWARD_BACKWARD ? increments.completed() : null;
    if (before != null
        && (before.isLong()
            || !snapshot.snapshot().hasChangesSince(before.snapshot().snapshot()))) {
      before.snapshot().letGo();
      before = null;
    }
    futures.setKeyedStateManagedFuture(
        new IncrementalSnapshot(checkpointId, snapshot, before, groups, streams, increments)
            .toAsyncSnapshotFutureTask(writing));
  }

  void complete(long checkpointId) {
    increments.complete(checkpointId);
  }

  void abort(long checkpointId) {
    increments.abort(checkpointId);
  }

  void close() {
    try {
      writing.close();
    } catch (IOException e) {
      LOG.debug("a snapshot that is given up did not close: {}", e.toString());
    }
  }
}
