package io.millrace.engine.operator;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.wire.block.Block;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SnapshotType.SharingFilesStrategy;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

/**
 * Hosts an analyzer with state by key: each key group's bytes stand by themselves in a checkpoint,
 * and every subtask is given those of its range, whatever the parallelism was when they were
 * written.
 *
 * <p>State that is written whole is Flink's raw keyed state. State of which only changes are
 * written is what Flink calls incremental managed state, as of a keyed backend; we have none, so
 * nobody else touches it, and Flink counts, deletes and hands out its files as it does for any.
 *
 * <p>A snapshot stops the analyzer for as long as it takes to make a snapshot ({@code
 * snapshotNanos}, {@code snapshots}). The snapshot is written by another thread.
 */
final class KeyedAnalyzerOperator<I extends Block, O extends Block>
    extends AnalyzerOperator<I, O, KeyedAnalyzer<I, O>> {
  private static final long serialVersionUID = 1L;

  private transient KeyGroups groups;
  private transient CloseableRegistry writing;
  private transient Increments increments;
  private transient Counter snapshots;
  private transient Counter snapshotNanos;

  KeyedAnalyzerOperator(
      StreamOperatorParameters<O> parameters,
      AnalyzerFactory<KeyedAnalyzer<I, O>> factory,
      Optional<Duration> quiet) {
    super(parameters, factory, quiet);
  }

  @Override
  void restore(StateInitializationContext context) throws Exception {
    groups = Subtask.of(getRuntimeContext(), getMetricGroup()).keyGroups();
    writing = new CloseableRegistry();
    increments = new Increments();
    snapshots = getMetricGroup().counter("snapshots");
    snapshotNanos = getMetricGroup().counter("snapshotNanos");
    new KeyedRestore(groups, getContainingTask().getCancelables(), analyzer()::restore)
        .restore(
            getContainingTask()
                .getEnvironment()
                .getTaskStateManager()
                .prioritizedOperatorState(getOperatorID()));
  }

  @Override
  public OperatorSnapshotFutures snapshotState(
      long checkpointId, long timestamp, CheckpointOptions options, CheckpointStreamFactory streams)
      throws Exception {
    OperatorSnapshotFutures futures =
        super.snapshotState(checkpointId, timestamp, options, streams);
    long start = System.nanoTime();
    SharedSnapshot snapshot = new SharedSnapshot(analyzer().snapshot());
    snapshotNanos.inc(System.nanoTime() - start);
    snapshots.inc();
    SharingFilesStrategy sharing = options.getCheckpointType().getSharingFilesStrategy();
    if (sharing == SharingFilesStrategy.NO_SHARING
        || increments.wholeBytes() < analyzer().incrementalFrom()) {
      if (sharing != SharingFilesStrategy.NO_SHARING) {
        increments.clear(); // a checkpoint without the files that were shared ends their life
      }
      futures.setKeyedStateRawFuture(
          new KeyedSnapshot(snapshot, groups, streams, increments)
              .toAsyncSnapshotFutureTask(writing));
      return futures;
    }
    increments.begin(checkpointId);
    Increments.Written before =
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
    return futures;
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    increments.complete(checkpointId);
  }

  @Override
  public void notifyCheckpointAborted(long checkpointId) throws Exception {
    super.notifyCheckpointAborted(checkpointId);
    increments.abort(checkpointId);
  }

  @Override
  public void close() throws Exception {
    try {
      if (writing != null) {
        writing.close();
      }
    } catch (IOException e) {
      LOG.debug("a snapshot that is given up did not close: {}", e.toString());
    }
    super.close();
  }
}
