package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.PartitionedState;
import io.millrace.engine.UnmendableException;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.RawBatch;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MeterView;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Hosts an analyzer: opens it, gives it its state, hands it each block and each watermark, and
 * counts. The counters are {@code blocksIn}, {@code rowsIn}, {@code blocksOut}, {@code rowsOut},
 * and {@code busyNanos}: time in the analyzer, without the steps that follow it on the same thread.
 * The meters {@code rowsInPerSecond} and {@code rowsOutPerSecond} are rates of the last seconds.
 *
 * <p>Event time is microseconds to an analyzer and milliseconds to Flink, whose screens show it.
 */
class AnalyzerOperator<I extends Block, O extends Block, A extends Analyzer<I, O>>
    extends AbstractStreamOperator<O> implements OneInputStreamOperator<I, O>, Emitter<O> {
  private static final long serialVersionUID = 1L;

  /** As long as Flink takes for a share of busy time, so that the two go together. */
  private static final int RATE_SECONDS = 5;

  /** Where the analyzer's rejects go. */
  static final OutputTag<RawBatch> REJECTS = new OutputTag<>("rejects", BlockTypeInfo.RAW);

  private final transient AnalyzerFactory<A> factory;
  private transient A analyzer;
  private transient ListState<byte[]> pieces;
  private transient ResultPartitionWriter[] writers;
  private transient StreamRecord<O> record;
  private transient Counter blocksIn;
  private transient Counter rowsIn;
  private transient Counter blocksOut;
  private transient Counter rowsOut;
  private transient Counter busyNanos;
  private transient long behindNanos; // of the present call, in the steps behind

  AnalyzerOperator(StreamOperatorParameters<O> parameters, AnalyzerFactory<A> factory) {
    super(parameters);
    this.factory = factory;
  }

  /** The analyzer, from {@link #initializeState} on. */
  final A analyzer() {
    return analyzer;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    MetricGroup metrics = getMetricGroup();
    blocksIn = metrics.counter("blocksIn");
    rowsIn = metrics.counter("rowsIn");
    blocksOut = metrics.counter("blocksOut");
    rowsOut = metrics.counter("rowsOut");
    busyNanos = metrics.counter("busyNanos");
    metrics.meter("rowsInPerSecond", new MeterView(rowsIn, RATE_SECONDS));
    metrics.meter("rowsOutPerSecond", new MeterView(rowsOut, RATE_SECONDS));
    record = new StreamRecord<>(null);
    writers = getContainingTask().getEnvironment().getAllWriters();
    try {
      Subtask subtask = Subtask.of(getRuntimeContext(), metrics);
      analyzer = factory.create(subtask);
      analyzer.open(new HostedContext(subtask));
      restore(context);
    } catch (UnmendableException e) {
      throw new SuppressRestartsException(e);
    }
  }

  /** Gives the analyzer what the checkpoint holds for it. */
  void restore(StateInitializationContext context) throws Exception {
    if (analyzer instanceof PartitionedState state) {
      pieces =
          context
              .getOperatorStateStore()
              .getUnionListState(
                  new ListStateDescriptor<>(
                      "pieces", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
      if (context.isRestored()) {
        for (StatePiece piece : StatePiece.newest(pieces.get())) {
          state.restore(piece.key(), piece.version(), piece.state());
        }
      }
    }
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    if (analyzer instanceof PartitionedState state) {
      pieces.update(StatePiece.all(state));
    }
  }

  @Override
  public void processElement(StreamRecord<I> element) throws Exception {
    I block = element.getValue();
    blocksIn.inc();
    rowsIn.inc(block.rows());
    behindNanos = 0;
    long start = System.nanoTime();
    try {
      analyzer.process(block, this);
    } catch (UnmendableException e) {
      throw new SuppressRestartsException(e);
    }
    countOwnTime(start);
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    behindNanos = 0;
    long start = System.nanoTime();
    analyzer.watermark(EventTime.micros(mark.getTimestamp()), this);
    countOwnTime(start);
    super.processWatermark(mark);
  }

  @Override
  public void emit(O block) {
    blocksOut.inc();
    rowsOut.inc(block.rows());
    long start = System.nanoTime();
    output.collect(record.replace(block));
    behindNanos += System.nanoTime() - start;
  }

  private void countOwnTime(long start) {
    busyNanos.inc(System.nanoTime() - start - behindNanos);
    behindNanos = 0;
  }

  @Override
  public boolean offer(O block) {
    for (ResultPartitionWriter writer : writers) {
      if (!writer.isAvailable()) {
        return false;
      }
    }
    emit(block);
    return true;
  }

  @Override
  public void reject(RawBatch rejected) {
    output.collect(REJECTS, new StreamRecord<>(rejected));
  }

  @Override
  public void close() throws Exception {
    if (analyzer != null) {
      analyzer.close();
      analyzer = null;
    }
    super.close();
  }
}
