package io.millrace.engine.checker;

import io.millrace.engine.sink.BareSinks;
import io.millrace.engine.sink.LogPlace;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.typeutils.base.VoidSerializer;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.function.ThrowingRunnable;

/** A subtask of the sink: the real rewinding operator, between channels and the table. */
final class SinkTask extends Attempt.Task {
  private final Checkpoint from;
  private final Attempt.Messages messages;
  private final AlignedInput input;
  private final Table.Sink target;
  private final HostedOperator<Void> hosted;
  private final Deque<OperatorEvent> events = new ArrayDeque<>();
  private final Deque<Long> completed = new ArrayDeque<>();
  private boolean open;

  /** Holds a block that it may not append yet, so that it only handles events. */
  private boolean waiting;

  SinkTask(
      Attempt attempt,
      int index,
      Scenario scenario,
      Checkpoint from,
      Table table,
      Breakage breakage,
      Attempt.Messages messages)
      throws Exception {
    super(attempt, "sink", index);
    this.from = from;
    this.messages = messages;
    input = new AlignedInput(attempt.parallelism(), true);
    target = table.sink();
    LogPlace<RawBatch> place =
        LogPlace.of(block -> Scenario.partition(block.partition(), breakage), RawBatch::offset);
    RewindableSink<RawBatch, Frontier> sink =
        RewindableSink.of(subtask -> target, BareSinks.coverage(place, scenario.end(breakage)))
            .flushingForCheckpointsOnly();
    hosted =
        new HostedOperator<>(
            BareSinks.factory(
                sink, new NoMailbox(), event -> messages.sinkEvent(attempt, index, event)),
            VoidSerializer.INSTANCE,
            index,
            attempt.parallelism());
  }

  AlignedInput input() {
    return input;
  }

  /** Sends an event of the coordinator. */
  void send(OperatorEvent event) {
    events.add(event);
  }

  /** Sends the notification about a completed checkpoint. */
  void sendCompleted(long checkpoint) {
    completed.add(checkpoint);
  }

  @Override
  boolean isIdle() {
    return open && input.isEmpty() && !waiting && events.isEmpty() && completed.isEmpty();
  }

  @Override
  void steps(List<Step> out) {
    if (!open) {
      out.add(step("opens", () -> guarded(this::open)));
      return;
    }
    if (!events.isEmpty()) {
      boolean rewinds = index == 0;
      out.add(new Step(name + " hears " + events.peek(), rewinds, () -> guarded(this::hear)));
    }
    if (target.hasUnseen()) {
      out.add(step("has its rows made visible", () -> guarded(target::flush)));
    }
    if (waiting) {
      return;
    }
    if (!completed.isEmpty()) {
      out.add(
          step(
              "hears of checkpoint " + completed.peek(),
              () -> guarded(() -> hosted.completed(completed.remove()))));
    }
    for (int i = 0; i < input.channels(); i++) {
      int channel = i;
      if (input.readable(channel)) {
        RawBatch block = input.head(channel);
        out.add(
            block == null
                ? step("takes a barrier of sum " + channel, () -> guarded(() -> barrier(channel)))
                : step(
                    "takes (" + block.partition() + "," + block.offset() + ")",
                    () -> guarded(() -> element(channel, block))));
      }
    }
  }

  /** A subtask that the table rejects fails. */
  private void guarded(Step.Action action) throws Exception {
    try {
      action.run();
    } catch (Exception e) {
      if (ExceptionUtils.findThrowable(e, Table.RejectedException.class).isEmpty()) {
        throw e;
      }
      dead = true;
    }
  }

  private void open() throws Exception {
    hosted.open(from.sinkStates());
    open = true;
  }

  private void hear() {
    BareSinks.deliver(events.remove(), hosted.operator());
    waiting = false;
  }

  private void element(int channel, RawBatch block) throws Exception {
    try {
      hosted.process(block);
    } catch (WaitingException e) {
      waiting = true; // the block is still the first of the channel
      return;
    }
    input.pop(channel);
  }

  private void barrier(int channel) throws Exception {
    long checkpoint = input.takeBarrier(channel);
    if (checkpoint != 0) {
      messages.sinkState(attempt, checkpoint, index, hosted.snapshot(checkpoint));
    }
  }

  /** The end of the input. */
  void finish() throws Exception {
    hosted.finish();
  }

  /** The operator waits for an event, which the simulation must deliver. */
  private static final class WaitingException extends RuntimeException {
    WaitingException() {
      super("waits for an event", null, false, false);
    }
  }

  private static final class NoMailbox implements MailboxExecutor {
    @Override
    public void execute(
        MailOptions options,
        ThrowingRunnable<? extends Exception> command,
        String description,
        Object... arguments) {
      throw new UnsupportedOperationException("the sink sends itself nothing");
    }

    @Override
    public void yield() {
      throw new WaitingException();
    }

    @Override
    public boolean tryYield() {
      return false;
    }

    @Override
    public boolean shouldInterrupt() {
      return false;
    }
  }
}
