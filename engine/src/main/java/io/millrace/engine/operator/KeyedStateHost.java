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
 * Saves and restores the keyed state of a step. Each key group is stored separately, so a subtask
 * restores its groups whatever the former parallelism. Full state is Flink's raw keyed state.
 * Incremental state is registered as that of a keyed backend, so that Flink counts, deletes and
 * distributes its files. Used by the step's thread; another thread writes the snapshots.
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
        increments.clear(); // a full checkpoint ends the use of shared files
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
      before.snapshot().release();
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
      LOG.debug("cannot close an abandoned snapshot: {}", e.toString());
    }
  }
}
