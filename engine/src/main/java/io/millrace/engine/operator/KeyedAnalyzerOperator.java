package io.millrace.engine.operator;

import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.BlockInput;
import java.io.DataInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Hosts an analyzer with state by key, as Flink's raw keyed state: each key group's bytes stand by
 * themselves in a checkpoint, and Flink gives every subtask those of its range, whatever the
 * parallelism was when they were written.
 *
 * <p>A snapshot stops the analyzer for as long as it takes to make an image ({@code snapshotNanos},
 * {@code snapshots}). The image is written by another thread, in {@link KeyedSnapshot}.
 */
final class KeyedAnalyzerOperator<I extends Block, O extends Block>
    extends AnalyzerOperator<I, O, KeyedAnalyzer<I, O>> {
  private static final long serialVersionUID = 1L;

  private transient CloseableRegistry writing;
  private transient Counter snapshots;
  private transient Counter snapshotNanos;

  KeyedAnalyzerOperator(
      StreamOperatorParameters<O> parameters,
      AnalyzerFactory<KeyedAnalyzer<I, O>> factory,
      Optional<Duration> quiet) {
    super(parameters, factory, quiet);
  }

  /** Says that the raw keyed state is ours, not that of Flink's timers. */
  @Override
  protected boolean isUsingCustomRawKeyedState() {
    return true;
  }

  /**
   * A block has the rows of many keys, and Flink's keyed state, which wants to know, is not used.
   */
  @Override
  @SuppressWarnings("rawtypes") // Flink declares it so.
  public void setKeyContextElement1(StreamRecord element) {}

  @Override
  void restore(StateInitializationContext context) throws Exception {
    writing = new CloseableRegistry();
    snapshots = getMetricGroup().counter("snapshots");
    snapshotNanos = getMetricGroup().counter("snapshotNanos");
    if (context.isRestored()) {
      for (KeyGroupStatePartitionStreamProvider group : context.getRawKeyedStateInputs()) {
        DataInputStream in = new DataInputStream(group.getStream());
        byte[] state = in.readNBytes(in.readInt());
        analyzer().restore(group.getKeyGroupId(), new BlockInput(state, 0, state.length));
      }
    }
  }

  @Override
  public OperatorSnapshotFutures snapshotState(
      long checkpointId, long timestamp, CheckpointOptions options, CheckpointStreamFactory streams)
      throws Exception {
    OperatorSnapshotFutures futures =
        super.snapshotState(checkpointId, timestamp, options, streams);
    long start = System.nanoTime();
    KeyedSnapshot snapshot =
        new KeyedSnapshot(
            analyzer().snapshot(),
            Subtask.of(getRuntimeContext(), getMetricGroup()).keyGroups(),
            streams);
    snapshotNanos.inc(System.nanoTime() - start);
    snapshots.inc();
    futures.setKeyedStateRawFuture(snapshot.toAsyncSnapshotFutureTask(writing));
    return futures;
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
