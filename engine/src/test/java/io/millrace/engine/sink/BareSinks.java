package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.Frontier;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.runtime.operators.coordination.OperatorEventGateway;
import org.apache.flink.runtime.operators.coordination.OperatorEventHandler;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

/**
 * The sink's operator and its coordinator without a job around them, for tests of other packages:
 * what passes between the two, and how a subtask waits, is in the test's hands.
 */
public final class BareSinks {
  private BareSinks() {}

  /** Makes the sink's operator, over a log that holds everything up to {@code end}. */
  public static <B extends Block> OneInputStreamOperatorFactory<B, Void> factory(
      RewindableSink<B> sink,
      Frontier end,
      MailboxExecutor mailbox,
      OperatorEventGateway coordinator) {
    return new Factory<>(sink, new LogHorizon(Frontier.EMPTY, end), mailbox, coordinator);
  }

  /** Makes the coordinator of a sink's subtasks. */
  public static OperatorCoordinator coordinator(
      OperatorCoordinator.Context context, LongSupplier clockMicros) {
    return new RewindCoordinator(context, clockMicros);
  }

  /** Gives an event of the coordinator to a subtask, as Flink does. */
  public static void deliver(OperatorEvent event, StreamOperator<?> sink) {
    ((OperatorEventHandler) sink).handleOperatorEvent(event);
  }

  /** What a subtask waits for before it appends. */
  public static OperatorEvent append(long ticket) {
    return new RewindEvent.Append(ticket);
  }

  private static final class Factory<B extends Block> extends AbstractStreamOperatorFactory<Void>
      implements OneInputStreamOperatorFactory<B, Void> {
    private static final long serialVersionUID = 1L;

    private final transient RewindableSink<B> sink;
    private final transient LogHorizon horizon;
    private final transient MailboxExecutor mailbox;
    private final transient OperatorEventGateway coordinator;

    Factory(
        RewindableSink<B> sink,
        LogHorizon horizon,
        MailboxExecutor mailbox,
        OperatorEventGateway coordinator) {
      this.sink = sink;
      this.horizon = horizon;
      this.mailbox = mailbox;
      this.coordinator = coordinator;
    }

    @Override
    // The caller's T is our operator by the contract of the method.
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public <T extends StreamOperator<Void>> T createStreamOperator(
        StreamOperatorParameters<Void> parameters) {
      return (T)
          new RewindableSinkOperator<>(parameters, sink, mailbox, coordinator, () -> horizon);
    }

    @Override
    @SuppressWarnings("rawtypes") // Flink declares it so.
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
      return RewindableSinkOperator.class;
    }
  }
}
