package io.millrace.engine.sink;

import io.millrace.engine.UnmendableException;
import io.millrace.engine.operator.Subtask;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.Frontier;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.runtime.operators.coordination.OperatorEventHandler;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends blocks to a {@link RewindableTarget}, and keeps in checkpoints how far the log is
 * covered.
 *
 * <p><b>Why the frontier is exact.</b> Barriers are aligned: when a subtask takes its snapshot it
 * has appended every block, of those dealt to it, from values in front of the source's offsets, and
 * none from behind them. So for each partition the largest offset over all subtasks, plus one, is
 * not behind the source's position, and no row lies between the two. Every subtask stores what it
 * has seen; the union over all subtasks, which each gets back when it is restored into any number
 * of subtasks, is the frontier. With unaligned barriers this would not hold: they are refused.
 *
 * <p>The rewind is subtask 0's, when {@link RewindCoordinator} has granted it, and the others wait
 * for the coordinator before their first block; timers go on while they wait, and no checkpoint
 * begins.
 */
final class RewindableSinkOperator<B extends Block> extends AbstractStreamOperator<Void>
    implements OneInputStreamOperator<B, Void>, OperatorEventHandler {
  private static final long serialVersionUID = 1L;

  private static final Logger LOG = LoggerFactory.getLogger(RewindableSink.class);
  private static final String STATE_NAME = "frontier";

  private final transient RewindableSink<B> sink;
  private final transient MailboxExecutor mailbox;
  private final transient OperatorEventGateway coordinator;

  private transient RewindableTarget<B> target;
  private transient ListState<byte[]> state;

  /** What this subtask knows to be covered; grows with each block. */
  private transient Map<Integer, Long> covered;

  private transient TreeMap<Long, Frontier> unconfirmed;
  private transient boolean mayAppend;
  private transient ScheduledFuture<?> timer;
  private transient int unseenRows;
  private transient boolean unflushed;

  private transient Counter rows;
  private transient Counter flushes;
  private transient Counter appendNanos;
  private transient Counter flushNanos;

  RewindableSinkOperator(
      StreamOperatorParameters<Void> parameters,
      RewindableSink<B> sink,
      MailboxExecutor mailbox,
      OperatorEventGateway coordinator) {
    super(parameters);
    this.sink = sink;
    this.mailbox = mailbox;
    this.coordinator = coordinator;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    state =
        context
            .getOperatorStateStore()
            .getUnionListState(
                new ListStateDescriptor<>(STATE_NAME, BytePrimitiveArraySerializer.INSTANCE));
    Frontier frontier = sink.start;
    if (context.isRestored()) {
      try {
        for (byte[] part : state.get()) {
          frontier = frontier.union(FrontierState.decode(part));
        }
      } catch (UnmendableException e) {
        throw new SuppressRestartsException(e);
      }
    }
    covered = new HashMap<>(frontier.next());
    unconfirmed = new TreeMap<>();
  }

  @Override
  public void open() throws Exception {
    super.open();
    if (CheckpointingOptions.isUnalignedCheckpointEnabled(
        getContainingTask().getEnvironment().getJobConfiguration())) {
      throw new SuppressRestartsException(
          new UnmendableException(
              "unaligned checkpoints would double rows: set execution.checkpointing.unaligned.enabled"
                  + " to false"));
    }
    rows = getMetricGroup().counter(RewindableSink.ROWS);
    flushes = getMetricGroup().counter(RewindableSink.FLUSHES);
    appendNanos = getMetricGroup().counter(RewindableSink.APPEND_NANOS);
    flushNanos = getMetricGroup().counter(RewindableSink.FLUSH_NANOS);
    try {
      target = sink.factory.create(Subtask.of(getRuntimeContext(), getMetricGroup()));
      target.open();
    } catch (UnmendableException e) {
      throw new SuppressRestartsException(e);
    }
  }

  @Override
  public void handleOperatorEvent(OperatorEvent event) {
    try {
      if (event instanceof RewindEvent.Rewind rewind) {
        rewind(rewind.ticket());
      } else if (event instanceof RewindEvent.Append append) {
        begin(append.ticket());
      }
    } catch (UnmendableException e) {
      throw new SuppressRestartsException(e);
    } catch (Exception e) {
      ExceptionUtils.rethrow(e);
    }
  }

  private void rewind(long ticket) throws Exception {
    Frontier wanted = new Frontier(covered);
    LogHorizon horizon = sink.horizon();
    horizon.holes(wanted).forEach(hole -> LOG.warn("{}", hole));
    Frontier frontier = horizon.rewindable(wanted);
    target.rewind(ticket, frontier);
    covered.putAll(frontier.next());
    begin(ticket);
    coordinator.sendEventToCoordinator(new RewindEvent.Rewound(ticket));
  }

  private void begin(long ticket) throws Exception {
    target.begin(ticket);
    mayAppend = true;
  }

  private void awaitTurn() throws InterruptedException {
    while (!mayAppend) {
      mailbox.yield();
    }
  }

  @Override
  public void processElement(StreamRecord<B> element) throws Exception {
    awaitTurn();
    B block = element.getValue();
    long start = System.nanoTime();
    try {
      target.append(block);
    } catch (UnmendableException e) {
      throw new SuppressRestartsException(e);
    }
    appendNanos.inc(System.nanoTime() - start);
    covered.merge(sink.place.partition(block), sink.place.offset(block) + 1, Math::max);
    rows.inc(block.rows());
    unseenRows += block.rows();
    unflushed = true;
    if (unseenRows >= sink.flushRows) {
      flush();
    } else if (timer == null && sink.flushMillis != RewindableSink.NEVER) {
      flushLater();
    }
  }

  private void flushLater() {
    timer =
        getProcessingTimeService()
            .registerTimer(
                getProcessingTimeService().getCurrentProcessingTime() + sink.flushMillis,
                time -> {
                  timer = null;
                  flush();
                });
  }

  private void flush() throws Exception {
    if (!unflushed) {
      return;
    }
    long start = System.nanoTime();
    try {
      target.flush();
    } catch (UnmendableException e) {
      throw new SuppressRestartsException(e);
    }
    flushNanos.inc(System.nanoTime() - start);
    flushes.inc();
    unseenRows = 0;
    unflushed = false;
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    flush();
    Frontier frontier = new Frontier(covered);
    unconfirmed.put(context.getCheckpointId(), frontier);
    state.update(java.util.List.of(FrontierState.encode(frontier)));
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    Map.Entry<Long, Frontier> confirmed = unconfirmed.floorEntry(checkpointId);
    if (confirmed != null) {
      try {
        target.committed(confirmed.getKey(), confirmed.getValue());
      } catch (UnmendableException e) {
        throw new SuppressRestartsException(e);
      }
      unconfirmed.headMap(confirmed.getKey(), true).clear();
    }
  }

  /** The end of a bounded job; not called after a failure. */
  @Override
  public void finish() throws Exception {
    awaitTurn(); // the rewind is due also where there is nothing to append
    flush();
    super.finish();
  }

  @Override
  public void close() throws Exception {
    if (target != null) {
      target.close();
      target = null;
    }
    super.close();
  }
}
