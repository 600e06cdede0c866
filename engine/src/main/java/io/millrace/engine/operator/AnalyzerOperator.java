package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.engine.UnmendableException;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.RawBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MeterView;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Hosts an analyzer: opens it, hands it each block, and counts. The counters are {@code blocksIn},
 * {@code rowsIn}, {@code blocksOut}, {@code rowsOut}, and {@code busyNanos}: time in the analyzer
 * and in the steps that follow it on the same thread. The meters {@code rowsInPerSecond} and {@code
 * rowsOutPerSecond} are rates of the last seconds.
 */
final class AnalyzerOperator<I extends Block, O extends Block> extends AbstractStreamOperator<O>
    implements OneInputStreamOperator<I, O>, Emitter<O> {
  private static final long serialVersionUID = 1L;

  /** As long as Flink takes for a share of busy time, so that the two go together. */
  private static final int RATE_SECONDS = 5;

  // a piece of state: key, version, bytes
  private static final int VERSION_OFFSET = Integer.BYTES;
  private static final int STATE_OFFSET = VERSION_OFFSET + Long.BYTES;

  /** Where the analyzer's rejects go. */
  static final OutputTag<RawBatch> REJECTS = new OutputTag<>("rejects", BlockTypeInfo.RAW);

  private final transient AnalyzerFactory<I, O> factory;
  private transient Analyzer<I, O> analyzer;
  private transient ListState<byte[]> pieces;
  private transient Map<Integer, ByteBuffer> restored = Map.of();
  private transient StreamRecord<O> record;
  private transient Counter blocksIn;
  private transient Counter rowsIn;
  private transient Counter blocksOut;
  private transient Counter rowsOut;
  private transient Counter busyNanos;

  AnalyzerOperator(StreamOperatorParameters<O> parameters, AnalyzerFactory<I, O> factory) {
    super(parameters);
    this.factory = factory;
  }

  @Override
  public void open() throws Exception {
    super.open();
    MetricGroup metrics = getMetricGroup();
    blocksIn = metrics.counter("blocksIn");
    rowsIn = metrics.counter("rowsIn");
    blocksOut = metrics.counter("blocksOut");
    rowsOut = metrics.counter("rowsOut");
    busyNanos = metrics.counter("busyNanos");
    metrics.meter("rowsInPerSecond", new MeterView(rowsIn, RATE_SECONDS));
    metrics.meter("rowsOutPerSecond", new MeterView(rowsOut, RATE_SECONDS));
    record = new StreamRecord<>(null);
    TaskInfo task = getRuntimeContext().getTaskInfo();
    try {
      analyzer =
          factory.create(
              new Subtask(
                  task.getIndexOfThisSubtask(), task.getNumberOfParallelSubtasks(), metrics));
      analyzer.open();
      for (ByteBuffer piece : restored.values()) {
        byte[] state = new byte[piece.limit() - STATE_OFFSET];
        piece.get(STATE_OFFSET, state);
        analyzer.restore(piece.getInt(0), piece.getLong(VERSION_OFFSET), state);
      }
      restored = Map.of();
    } catch (UnmendableException e) {
      throw new SuppressRestartsException(e);
    }
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    pieces =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(
                    "pieces", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    if (context.isRestored()) {
      restored = newest(pieces.get());
    }
  }

  /** Of each key the piece of the greatest version. */
  private static Map<Integer, ByteBuffer> newest(Iterable<byte[]> pieces) {
    Map<Integer, ByteBuffer> newest = new TreeMap<>();
    for (byte[] bytes : pieces) {
      ByteBuffer piece = ByteBuffer.wrap(bytes);
      newest.merge(
          piece.getInt(0),
          piece,
          (one, other) ->
              one.getLong(VERSION_OFFSET) >= other.getLong(VERSION_OFFSET) ? one : other);
    }
    return newest;
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    List<byte[]> out = new ArrayList<>();
    analyzer.snapshot(
        (key, version, state) ->
            out.add(
                ByteBuffer.allocate(STATE_OFFSET + state.length)
                    .putInt(key)
                    .putLong(version)
                    .put(state)
                    .array()));
    pieces.update(out);
  }

  @Override
  public void processElement(StreamRecord<I> element) throws Exception {
    I block = element.getValue();
    blocksIn.inc();
    rowsIn.inc(block.rows());
    long start = System.nanoTime();
    try {
      analyzer.process(block, this);
    } catch (UnmendableException e) {
      throw new SuppressRestartsException(e);
    }
    busyNanos.inc(System.nanoTime() - start);
  }

  @Override
  public void emit(O block) {
    blocksOut.inc();
    rowsOut.inc(block.rows());
    output.collect(record.replace(block));
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
