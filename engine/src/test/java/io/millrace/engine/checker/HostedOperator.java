package io.millrace.engine.checker;

import io.millrace.wire.block.RawBatch;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.io.disk.iomanager.IOManager;
import org.apache.flink.runtime.io.disk.iomanager.IOManagerAsync;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;

/**
 * One subtask of a real operator in Flink's harness: real state, real snapshots, real restores; its
 * output is copied by the real serializer. One that died is not closed.
 */
final class HostedOperator<O> {
  private static final int KEY_GROUPS = 4;

  /** Unused by the operators here, created once. */
  private static final IOManager IO = new IOManagerAsync();

  private final OneInputStreamOperatorTestHarness<RawBatch, O> harness;
  private final TypeSerializer<O> serializer;
  private final int index;
  private final int parallelism;

  HostedOperator(
      OneInputStreamOperatorFactory<RawBatch, O> factory,
      TypeSerializer<O> serializer,
      int index,
      int parallelism)
      throws Exception {
    this.serializer = serializer;
    this.index = index;
    this.parallelism = parallelism;
    harness =
        new OneInputStreamOperatorTestHarness<>(
            factory,
            new MockEnvironmentBuilder()
                .setIOManager(IO)
                .setMaxParallelism(KEY_GROUPS)
                .setParallelism(parallelism)
                .setSubtaskIndex(index)
                .build());
  }

  /** Starts the operator with its share of the state of all subtasks of a former attempt. */
  void open(List<OperatorSubtaskState> kept) throws Exception {
    harness.setup(serializer);
    if (!kept.isEmpty()) {
      harness.initializeState(
          AbstractStreamOperatorTestHarness.repartitionOperatorState(
              AbstractStreamOperatorTestHarness.repackageState(
                  kept.toArray(new OperatorSubtaskState[0])),
              KEY_GROUPS,
              kept.size(),
              parallelism,
              index));
    }
    harness.open();
  }

  /** Passes a block to the operator and returns its output. */
  List<O> process(RawBatch block) throws Exception {
    harness.processElement(new StreamRecord<>(block));
    List<O> out = new ArrayList<>(harness.extractOutputValues());
    harness.getOutput().clear();
    return out;
  }

  OperatorSubtaskState snapshot(long checkpoint) throws Exception {
    return harness.snapshot(checkpoint, 0);
  }

  void completed(long checkpoint) throws Exception {
    harness.notifyOfCompletedCheckpoint(checkpoint);
  }

  /** Ends the input: the operator emits what it holds back. */
  void finish() throws Exception {
    operator().finish();
  }

  StreamOperator<O> operator() {
    return harness.getOneInputOperator();
  }
}
