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
 * The sink's operator and its coordinator without a job, for tests of other packages: the test
 * controls the messages between the two, and how a subtask waits.
 */
public final class BareSinks {
  private BareSinks() {}

  /** Creates the sink's operator. */
  public static <B extends Block, P> OneInputStreamOperatorFactory<B, Void> factory(
      RewindableSink<B, P> sink, MailboxExecutor mailbox, OperatorEventGateway coordinator) {
    return new Factory<>(sink, mailbox, coordinator);
  }

  /** Coverage of a log that does not exist, but would hold everything up to {@code end}. */
  public static <B extends Block> Coverage<B, Frontier> coverage(LogPlace<B> place, Frontier end) {
    LogCoverage<B> coverage = LogCoverage.of(place, "no log", "no topic");
    LogHorizon horizon = new LogHorizon(Frontier.EMPTY, end, 0);
    return parts -> coverage.begin(parts, () -> horizon);
  }

  /** Creates the coordinator of a sink's subtasks. */
  public static OperatorCoordinator coordinator(
      OperatorCoordinator.Context context, LongSupplier clockMicros) {
    return new RewindCoordinator(context, clockMicros);
  }

  /** Delivers an event of the coordinator to a subtask, as Flink does. */
  public static void deliver(OperatorEvent event, StreamOperator<?> sink) {
    ((OperatorEventHandler) sink).handleOperatorEvent(event);
  }

  /** The event that a subtask awaits before it appends. */
  public static OperatorEvent append(long token) {
    return new RewindEvent.Append(token);
  }

  private static final class Factory<B extends Block, P> extends AbstractStreamOperatorFactory<Void>
      implements OneInputStreamOperatorFactory<B, Void> {
    private static final long serialVersionUID = 1L;

    private final transient RewindableSink<B, P> sink;
    private final transient MailboxExecutor mailbox;
    private final transient OperatorEventGateway coordinator;

    Factory(RewindableSink<B, P> sink, MailboxExecutor mailbox, OperatorEventGateway coordinator) {
      this.sink = sink;
      this.mailbox = mailbox;
      this.coordinator = coordinator;
    }

    @Override
    // By the contract of the method, T is the caller's operator.
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public <T extends StreamOperator<Void>> T createStreamOperator(
        StreamOperatorParameters<Void> parameters) {
      return (T) new RewindableSinkOperator<>(parameters, sink, mailbox, coordinator);
    }

    @Override
    @SuppressWarnings("rawtypes") // Flink's signature
    public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
      return RewindableSinkOperator.class;
    }
  }
}
