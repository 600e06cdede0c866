package io.millrace.engine.sink;

import io.millrace.engine.operator.EventTime;
import io.millrace.engine.operator.Subtask;
import io.millrace.wire.block.Block;
import io.millrace.wire.sink.BlockSink;
import io.millrace.wire.sink.UnrecoverableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MeterView;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.runtime.operators.coordination.OperatorEventHandler;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.ExceptionUtils;

/**
 * Appends blocks to a {@link BlockSink}, and keeps the store's {@link Coverage} in checkpoints.
 * Needs aligned barriers. While a subtask waits for {@link RewindCoordinator}, timers run and no
 * checkpoint starts.
 */
final class RewindableSinkOperator<B extends Block, P> extends AbstractStreamOperator<Void>
    implements OneInputStreamOperator<B, Void>, OperatorEventHandler {
  private static final long serialVersionUID = 1L;

  private static final String STATE_NAME = "frontier";

  private final transient RewindableSink<B, P> sink;
  private final transient MailboxExecutor mailbox;
  private final transient OperatorEventGateway coordinator;

  private transient BlockSink<B, P> target;
  private transient ExecutorService commits; // runs commits one at a time
  private transient CompletableFuture<Void> lastCommit;
  private transient SyncedState written;
  private transient ListState<byte[]> state;

  private transient Coverage.Progress<B, P> progress;
  private transient long lastCheckpoint;
  private transient TreeMap<Long, P> unconfirmed;
  private transient boolean mayAppend;
  private transient ScheduledFuture<?> timer;
  private transient long flushedAt; // in processing time
  private transient int unseenRows;
  private transient boolean unflushed;

  private transient Counter rows;
  private transient Counter flushes;
  private transient Counter appendNanos;
  private transient Counter flushNanos;

  RewindableSinkOperator(
      StreamOperatorParameters<Void> parameters,
      RewindableSink<B, P> sink,
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
    written = new SyncedState();
    state =
        context
            .getOperatorStateStore()
            .getUnionListState(new ListStateDescriptor<>(STATE_NAME, written));
    List<byte[]> parts = new ArrayList<>();
    lastCheckpoint = context.getRestoredCheckpointId().orElse(BlockSink.NO_CHECKPOINT);
    if (context.isRestored()) {
      state.get().forEach(parts::add);
    }
    try {
      progress = sink.coverage.begin(parts);
    } catch (UnrecoverableException e) {
      throw new SuppressRestartsException(e);
    }
    unconfirmed = new TreeMap<>();
  }

  @Override
  public void open() throws Exception {
    super.open();
    if (CheckpointingOptions.isUnalignedCheckpointEnabled(
        getContainingTask().getEnvironment().getJobConfiguration())) {
      throw new SuppressRestartsException(
          new UnrecoverableException(
              "unaligned checkpoints would duplicate rows: set execution.checkpointing.unaligned.enabled"
                  + " to false"));
    }
    rows = getMetricGroup().counter(RewindableSink.ROWS);
    getMetricGroup()
        .meter(RewindableSink.ROWS_RATE, new MeterView(rows, RewindableSink.RATE_SECONDS));
    flushes = getMetricGroup().counter(RewindableSink.FLUSHES);
    appendNanos = getMetricGroup().counter(RewindableSink.APPEND_NANOS);
    flushNanos = getMetricGroup().counter(RewindableSink.FLUSH_NANOS);
    try {
      target = sink.factory.open(Subtask.of(getRuntimeContext(), getMetricGroup()));
      commits = Executors.newSingleThreadExecutor(this::commitThread);
      lastCommit = CompletableFuture.completedFuture(null);
      written.sink = target;
    } catch (UnrecoverableException e) {
      throw new SuppressRestartsException(e);
    }
  }

  private Thread commitThread(Runnable work) {
    Thread thread =
        new Thread(work, getRuntimeContext().getTaskInfo().getTaskNameWithSubtasks() + " commits");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void handleOperatorEvent(OperatorEvent event) {
    try {
      if (event instanceof RewindEvent.Rewind rewind) {
        rewind(rewind.token());
      } else if (event instanceof RewindEvent.Append append) {
        begin(append.token());
      }
    } catch (UnrecoverableException e) {
      throw new SuppressRestartsException(e);
    } catch (Exception e) {
      ExceptionUtils.rethrow(e);
    }
  }

  private void rewind(long token) throws Exception {
    target.rewind(token, progress.rewind());
    begin(token);
    coordinator.sendEventToCoordinator(new RewindEvent.Completion(token));
  }

  private void begin(long token) throws Exception {
    target.begin(token, lastCheckpoint);
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
    } catch (UnrecoverableException e) {
      throw new SuppressRestartsException(e);
    }
    appendNanos.inc(System.nanoTime() - start);
    progress.appended(block);
    rows.inc(block.rows());
    unseenRows += block.rows();
    unflushed = true;
    if (unseenRows >= sink.flushRows) {
      flush();
    } else if (timer == null && sink.flushMillis != RewindableSink.NEVER) {
      flushLater();
    }
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    progress.passed(EventTime.micros(mark.getTimestamp()));
    super.processWatermark(mark);
  }

  /** Rows that arrive after a pause, or after the clock was set back, are flushed at once. */
  private void flushLater() {
    long now = getProcessingTimeService().getCurrentProcessingTime();
    timer =
        getProcessingTimeService()
            .registerTimer(
                Math.min(flushedAt, now) + sink.flushMillis,
                time -> {
                  timer = null;
                  flush();
                });
  }

  private void flush() {
    if (unflushed) {
      flushing(target::flush);
    }
  }

  private void flushing(Runnable work) {
    long start = System.nanoTime();
    try {
      work.run();
    } catch (UnrecoverableException e) {
      throw new SuppressRestartsException(e);
    }
    if (unflushed) {
      flushNanos.inc(System.nanoTime() - start);
      flushes.inc();
      flushedAt = getProcessingTimeService().getCurrentProcessingTime();
      unseenRows = 0;
      unflushed = false;
    }
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    lastCheckpoint = context.getCheckpointId();
    P covered = progress.at(lastCheckpoint);
    if (mayAppend) {
      flushing(() -> target.seal(lastCheckpoint, covered));
    }
    unconfirmed.put(lastCheckpoint, covered);
    state.update(List.of(progress.encode(covered)));
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    Map.Entry<Long, P> confirmed = unconfirmed.floorEntry(checkpointId);
    if (confirmed != null) {
      long id = confirmed.getKey();
      P covered = confirmed.getValue();
      unconfirmed.headMap(id, true).clear();
      if (target.isCommitConcurrent()) {
        lastCommit = lastCommit.thenRunAsync(() -> commitConcurrently(id, covered), commits);
      } else {
        commit(id, covered);
      }
    }
  }

  private void commit(long checkpointId, P covered) {
    try {
      target.commit(checkpointId, covered);
    } catch (UnrecoverableException e) {
      throw new SuppressRestartsException(e);
    }
  }

  private void commitConcurrently(long checkpointId, P covered) {
    try {
      commit(checkpointId, covered);
    } catch (RuntimeException e) {
      mailbox.execute(
          () -> {
            throw e;
          },
          "failed commit of checkpoint " + checkpointId);
      throw e;
    }
  }

  /** Called at the end of a bounded job, but not after a failure. */
  @Override
  public void finish() throws Exception {
    awaitTurn(); // the store must be rewound even if nothing is appended
    flush();
    super.finish();
  }

  @Override
  public void close() throws Exception {
    Throwable failure = null;
    if (commits != null) {
      failure =
          lastCommit
              .handle((done, e) -> e)
              .join(); // waits uninterruptibly, since an interrupt would close its files
      commits.shutdown();
      commits = null;
    }
    if (target != null) {
      target.close();
      target = null;
    }
    super.close();
    if (failure
        != null) { // nothing else would report a failure of the last commit of a job that ends
      throw new CompletionException(failure.getCause());
    }
  }
}
