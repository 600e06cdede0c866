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
 * Keeps the state by key of a step in checkpoints: each key group's bytes stand by themselves, and
 * every subtask is given those of its range, whatever the parallelism was when they were written.
 *
 * <p>State that is written whole is Flink's raw keyed state. State of which only changes are
 * written is what Flink calls incremental managed state, as of a keyed backend; we have none, so
 * nobody else touches it, and Flink counts, deletes and hands out its files as it does for any.
 *
 * <p>A snapshot stops the step for as long as it takes to make a snapshot ({@code snapshotNanos},
 * {@code snapshots}). The snapshot is written by another thread. Used by the step's thread.
 */
final class KeyedStateHost {
  private static final Logger LOG = LoggerFactory.getLogger(KeyedStateHost.class);

  private final KeyedState state;
  private final KeyGroups groups;
  private final CloseableRegistry writing = new CloseableRegistry();
  private final Increments increments = new Increments();
  private final Counter snapshots;
  private final Counter snapshotNanos;

  /** Gives a step that was opened what the checkpoint holds for its groups. */
  KeyedStateHost(KeyedState state, Subtask subtask, StreamTask<?, ?> task, OperatorID operator)
      throws Exception {
    this.state = state;
    groups = subtask.keyGroups();
    snapshots = subtask.metrics().counter("snapshots");
    snapshotNanos = subtask.metrics().counter("snapshotNanos");
    new KeyedRestore(groups, task.getCancelables(), state::restore)
        .restore(task.getEnvironment().getTaskStateManager().prioritizedOperatorState(operator));
  }

  /** Makes the snapshot of a checkpoint, and says who will write it. */
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
        increments.clear(); // a checkpoint without the files that were shared ends their life
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

  /** A checkpoint has completed. */
  void complete(long checkpointId) {
    increments.complete(checkpointId);
  }

  /** A checkpoint was given up. */
  void abort(long checkpointId) {
    increments.abort(checkpointId);
  }

  /** Gives up what is still being written. */
  void close() {
    try {
      writing.close();
    } catch (IOException e) {
      LOG.debug("a snapshot that is given up did not close: {}", e.toString());
    }
  }
}
