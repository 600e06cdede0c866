package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;

final class RewindableSinkOperatorFactory<B extends Block, P>
    extends AbstractStreamOperatorFactory<Void>
    implements OneInputStreamOperatorFactory<B, Void>, CoordinatedOperatorFactory<Void> {
  private static final long serialVersionUID = 1L;

  private final RewindableSink<B, P> sink;

  RewindableSinkOperatorFactory(RewindableSink<B, P> sink) {
    this.sink = sink;
  }

  @Override
  public OperatorCoordinator.Provider getCoordinatorProvider(String name, OperatorID id) {
    return new RewindCoordinator.Provider(id);
  }

  @Override
  // By the contract of this method, T is the class created here.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T extends StreamOperator<Void>> T createStreamOperator(
      StreamOperatorParameters<Void> parameters) {
    OperatorID id = parameters.getStreamConfig().getOperatorID();
    // Events for operators have the lowest priority in the mailbox. An executor with the sink's own
    // priority in its chain would not run them, so a chained sink would wait forever.
    MailboxExecutor mailbox =
        parameters
            .getContainingTask()
            .getMailboxExecutorFactory()
            .createExecutor(TaskMailbox.MIN_PRIORITY);
    RewindableSinkOperator<B, P> operator =
        new RewindableSinkOperator<>(
            parameters,
            sink,
            mailbox,
            parameters.getOperatorEventDispatcher().getOperatorEventGateway(id));
    parameters.getOperatorEventDispatcher().registerEventHandler(id, operator);
    return (T) operator;
  }

  @Override
  @SuppressWarnings("rawtypes") // Flink's signature
  public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
    return RewindableSinkOperator.class;
  }
}
