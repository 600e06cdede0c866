package io.millrace.engine.checker;

import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.operator.BareAnalyzers;
import io.millrace.wire.block.RawBatch;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;

/** A subtask of the sums: the real operator that hosts an analyzer, after channels. */
final class SumTask extends Attempt.Task {
  private final Checkpoint from;
  private final Breakage breakage;
  private final Attempt.Messages messages;
  private final AlignedInput input;
  private final HostedOperator<RawBatch> hosted;
  private boolean open;
  private long snapshotOwedTo;

  SumTask(
      Attempt attempt,
      int index,
      int sources,
      Checkpoint from,
      Breakage breakage,
      Attempt.Messages messages)
      throws Exception {
    super(attempt, "sum", index);
    this.from = from;
    this.breakage = breakage;
    this.messages = messages;
    input = new AlignedInput(sources, breakage != Breakage.BARRIERS_NOT_ALIGNED);
    hosted =
        new HostedOperator<>(
            BareAnalyzers.factory(subtask -> new ThresholdSum(breakage)),
            BlockTypeInfo.RAW.createSerializer(new SerializerConfigImpl()),
            index,
            attempt.parallelism());
  }

  AlignedInput input() {
    return input;
  }

  @Override
  boolean isIdle() {
    return open && input.isEmpty() && snapshotOwedTo == 0;
  }

  @Override
  void steps(List<Step> out) {
    if (!open) {
      out.add(step("opens", this::open));
      return;
    }
    for (int i = 0; i < input.channels(); i++) {
      int channel = i;
      if (!input.readable(channel)) {
        continue;
      }
      RawBatch block = input.head(channel);
      if (block == null) {
        out.add(step("takes a barrier of source " + channel, () -> barrier(channel)));
      } else if (receiver(block).input().hasRoom(index)) {
        out.add(
            step("takes (" + channel + "," + block.offset() + ")", () -> element(channel, block)));
      }
    }
    if (snapshotOwedTo != 0 && input.isEmpty()) {
      out.add(step("takes the snapshot that it owes", this::snapshot));
    }
  }

  private void open() throws Exception {
    hosted.open(from.sumStates());
    open = true;
  }

  /** Rows are distributed by the position of their input. */
  private SinkTask receiver(RawBatch block) {
    return attempt
        .sinks()
        .get((int) ((block.partition() + block.offset()) % attempt.parallelism()));
  }

  private void element(int channel, RawBatch block) throws Exception {
    input.pop(channel);
    for (RawBatch row : hosted.process(block)) {
      receiver(block).input().put(index, row);
    }
    if (snapshotOwedTo != 0) {
      snapshot();
    }
  }

  private void barrier(int channel) throws Exception {
    long checkpoint = input.takeBarrier(channel);
    if (checkpoint == 0) {
      return;
    }
    snapshotOwedTo = checkpoint;
    if (breakage != Breakage.SNAPSHOT_AFTER_NEXT_ELEMENT) {
      snapshot();
    }
    attempt.sinks().forEach(sink -> sink.input().putBarrier(index, checkpoint));
  }

  private void snapshot() throws Exception {
    messages.sumState(attempt, snapshotOwedTo, index, hosted.snapshot(snapshotOwedTo));
    snapshotOwedTo = 0;
  }
}
