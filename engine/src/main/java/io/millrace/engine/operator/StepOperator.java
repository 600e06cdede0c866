package io.millrace.engine.operator;

import io.millrace.analytics.ClockedAnalyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.Step;
import io.millrace.analytics.keyed.KeyedState;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.sink.UnrecoverableException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MeterView;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.OutputTag;

/**
 * Hosts a step: opens it, restores its state, forwards watermarks, and counts. The subclass defines
 * its inputs. Counters: {@code blocksIn}, {@code rowsIn}, {@code blocksOut}, {@code rowsOut} (main
 * output), {@code busyNanos} (excluding downstream steps on the same thread). Meters: {@code
 * rowsInPerSecond}, {@code rowsOutPerSecond}.
 *
 * <p>Event time is microseconds in an analyzer and milliseconds in Flink. State includes the event
 * time, since watermarks restart with each start of a job: the analyzer receives only watermarks
 * later than that of the checkpoint. Without an exchange, the minimum over all subtasks is
 * restored.
 */
abstract class StepOperator<O extends Block, A extends Step<O>> extends AbstractStreamOperator<O>
    implements Emitter<O> {
  private static final long serialVersionUID = 1L;

  /** Same window as for Flink's busy share, so that the two are comparable. */
  private static final int RATE_SECONDS = 5;

  static final OutputTag<RawBatch> REJECTS = new OutputTag<>("rejects", BlockTypeInfo.RAW);

  private static final long TICK_MILLIS = 500;

  /** Longer than other subtasks take to report that they are active, also on a busy machine. */
  private static final long RESUME_MILLIS = 3_000;

  @FunctionalInterface
  interface Work<A> {
    void on(A analyzer) throws Exception;
  }

  private final transient AnalyzerFactory<? extends A> factory;
  private final transient Hosting hosting;
  private final transient Optional<IdleClock> idleClock;
  private final transient boolean[] idle; // by input
  private transient boolean isTicking;
  private transient long resumptions;
  private transient boolean isResuming;
  private transient Watermark heldMark; // null if there is none
  private transient A analyzer;
  private transient KeyedStateHost keyedState; // null if not keyed
  private transient ListState<byte[]> pieces;
  private transient ListState<Long> eventTimes;
  private transient long currentWatermark; // microseconds
  private transient ResultPartitionWriter[] writers;
  private transient StreamRecord<O> record;
  private transient Map<Output<?>, OutputTag<?>> outputs;
  private transient Counter blocksIn;
  private transient Counter rowsIn;
  private transient Counter blocksOut;
  private transient Counter rowsOut;
  private transient Counter busyNanos;
  private transient long downstreamNanos; // spent in downstream steps during the current call

  StepOperator(
      StreamOperatorParameters<O> parameters,
      AnalyzerFactory<? extends A> factory,
      Hosting hosting,
      int inputs) {
    super(parameters);
    this.factory = factory;
    this.hosting = hosting;
    idleClock = hosting.quiet().map(timeout -> new IdleClock(timeout.toMillis()));
    idle = new boolean[inputs];
  }

  static <B extends Block> OutputTag<B> tag(Output<B> output) {
    return new OutputTag<>("output-" + output.name(), BlockTypeInfo.ofBlocks(output.type()));
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
      outputs = new HashMap<>();
      analyzer.outputs().forEach(further -> outputs.put(further, tag(further)));
      currentWatermark = Long.MIN_VALUE;
      restoreEventTime(context);
      analyzer.open(new HostedContext(subtask, () -> currentWatermark));
      restorePieces(context);
      if (hosting.isKeyed()) {
        keyedState =
            new KeyedStateHost(
                (KeyedState) analyzer, subtask, getContainingTask(), getOperatorID());
      }
    } catch (UnrecoverableException e) {
      throw new SuppressRestartsException(e);
    }
  }

  @Override
  public void open() throws Exception {
    super.open();
    if (analyzer instanceof ClockedAnalyzer<?>) {
      // A tick emits blocks of the analyzer's output type.
      @SuppressWarnings("unchecked")
      ClockedAnalyzer<O> ticking = (ClockedAnalyzer<O>) analyzer;
      tickNext(ticking);
    }
  }

  /** Schedules the next tick at a multiple of the interval, so that all subtasks tick together. */
  private void tickNext(ClockedAnalyzer<O> ticking) {
    ProcessingTimeService time = getProcessingTimeService();
    long interval = EventTime.millis(ticking.tickMicros());
    long next = (time.getCurrentProcessingTime() / interval + 1) * interval;
    var unused =
        time.registerTimer(
            next,
            due -> {
              downstreamNanos = 0;
              long start = System.nanoTime();
              ticking.tick(time.getCurrentProcessingTime() * 1_000, this);
              countOwnTime(start);
              tickNext(ticking);
            });
  }

  private void restoreEventTime(StateInitializationContext context) throws Exception {
    if (!(analyzer instanceof KeyedState || analyzer instanceof PartitionedState)) {
      return;
    }
    eventTimes =
        context
            .getOperatorStateStore()
            .getUnionListState(new ListStateDescriptor<>("event-time", Types.LONG));
    if (context.isRestored()) {
      long min = Long.MAX_VALUE;
      for (long each : eventTimes.get()) {
        min = Math.min(min, each);
      }
      currentWatermark = min == Long.MAX_VALUE ? Long.MIN_VALUE : min;
    }
  }

  private void restorePieces(StateInitializationContext context) throws Exception {
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
    if (eventTimes != null) {
      eventTimes.update(List.of(currentWatermark));
    }
  }

  @Override
  public OperatorSnapshotFutures snapshotState(
      long checkpointId, long timestamp, CheckpointOptions options, CheckpointStreamFactory streams)
      throws Exception {
    OperatorSnapshotFutures futures =
        super.snapshotState(checkpointId, timestamp, options, streams);
    if (keyedState != null) {
      keyedState.snapshot(checkpointId, options, streams, futures);
    }
    return futures;
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    if (keyedState != null) {
      keyedState.complete(checkpointId);
    }
  }

  @Override
  public void notifyCheckpointAborted(long checkpointId) throws Exception {
    super.notifyCheckpointAborted(checkpointId);
    if (keyedState != null) {
      keyedState.abort(checkpointId);
    }
  }

  final void process(StreamRecord<? extends Block> element, Work<A> work) throws Exception {
    Block block = element.getValue();
    if (keyedState != null && element.hasTimestamp()) { // a bucket announced by the keyed exchange
      ((KeyedState) analyzer).hasBegun(element.getTimestamp());
      return;
    }
    blocksIn.inc();
    rowsIn.inc(block.rows());
    downstreamNanos = 0;
    long start = System.nanoTime();
    try {
      work.on(analyzer);
    } catch (UnrecoverableException e) {
      throw new SuppressRestartsException(e);
    }
    countOwnTime(start);
  }

  /**
   * After idleness, holds watermarks for some seconds, but forwards the active status at once. A
   * downstream step does not wait for subtasks whose last status is idle, so the first watermark of
   * a fast subtask would make rows late that a slow one still has.
   */
  @Override
  public void processWatermark(Watermark mark) throws Exception {
    if (isResuming && !mark.equals(Watermark.MAX_WATERMARK)) {
      heldMark = mark;
    } else {
      heldMark = null;
      advance(mark);
    }
  }

  private void advance(Watermark mark) throws Exception {
    if (idleClock.isEmpty() || idleClock.get().watermark(mark.getTimestamp())) {
      passed(mark.getTimestamp());
    }
    super.processWatermark(mark);
  }

  private void passed(long millis) throws Exception {
    long micros = EventTime.micros(millis);
    if (micros <= currentWatermark) {
      return;
    }
    currentWatermark = micros;
    downstreamNanos = 0;
    long start = System.nanoTime();
    analyzer.watermark(micros, this);
    countOwnTime(start);
  }

  @Override
  public void processWatermarkStatus(WatermarkStatus status) throws Exception {
    forward(status, 0);
    super.processWatermarkStatus(status);
  }

  @Override
  protected void processWatermarkStatus(WatermarkStatus status, int input) throws Exception {
    forward(status, input);
    super.processWatermarkStatus(status, input);
  }

  /** Output caused by idleness is emitted before the idle status. */
  private void forward(WatermarkStatus status, int input) throws Exception {
    boolean wasAllIdle = isAllIdle();
    idle[input] = status.isIdle();
    if (!isAllIdle() && wasAllIdle) {
      resume();
    }
    if (isAllIdle() && !wasAllIdle) {
      endResuming();
      downstreamNanos = 0;
      long start = System.nanoTime();
      analyzer.idle(this);
      countOwnTime(start);
    }
    if (idleClock.isPresent()) {
      IdleClock clock = idleClock.get();
      boolean wasIdle = clock.isIdle();
      clock.idle(isAllIdle(), getProcessingTimeService().getCurrentProcessingTime());
      if (clock.isIdle() && !wasIdle && !isTicking) {
        isTicking = true;
        tickLater(clock);
      }
    }
  }

  private void resume() {
    isResuming = true;
    long number = ++resumptions;
    ProcessingTimeService time = getProcessingTimeService();
    var unused =
        time.registerTimer(
            time.getCurrentProcessingTime() + RESUME_MILLIS,
            now -> {
              if (number == resumptions) {
                endResuming();
              }
            });
  }

  private void endResuming() throws Exception {
    Watermark mark = heldMark;
    isResuming = false;
    heldMark = null;
    if (mark != null) {
      advance(mark);
    }
  }

  private boolean isAllIdle() {
    for (boolean one : idle) {
      if (!one) {
        return false;
      }
    }
    return true;
  }

  private void tickLater(IdleClock clock) {
    ProcessingTimeService time = getProcessingTimeService();
    var unused =
        time.registerTimer(time.getCurrentProcessingTime() + TICK_MILLIS, now -> tick(clock, now));
  }

  private void tick(IdleClock clock, long now) throws Exception {
    if (clock.tick(now)) {
      passed(clock.time());
    }
    isTicking = clock.isIdle();
    if (isTicking) {
      tickLater(clock);
    }
  }

  @Override
  public void emit(O block) {
    blocksOut.inc();
    rowsOut.inc(block.rows());
    long start = System.nanoTime();
    output.collect(record.replace(block));
    downstreamNanos += System.nanoTime() - start;
  }

  @Override
  public <B extends Block> void emit(Output<B> to, B block) {
    OutputTag<?> tag = outputs.get(to);
    if (tag == null) {
      throw new IllegalArgumentException(
          "the analyzer emitted a block to the undeclared output " + to.name());
    }
    blocksOut.inc();
    long start = System.nanoTime();
    collect(tag, block);
    downstreamNanos += System.nanoTime() - start;
  }

  @SuppressWarnings("unchecked") // the tag was made for this output
  private <B extends Block> void collect(OutputTag<?> tag, B block) {
    output.collect((OutputTag<B>) tag, new StreamRecord<>(block));
  }

  private void countOwnTime(long start) {
    busyNanos.inc(System.nanoTime() - start - downstreamNanos);
    downstreamNanos = 0;
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
    if (keyedState != null) {
      keyedState.close();
    }
    if (analyzer != null) {
      analyzer.close();
      analyzer = null;
    }
    super.close();
  }
}
