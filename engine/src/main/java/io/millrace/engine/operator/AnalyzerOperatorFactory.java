package io.millrace.engine.operator;

import io.millrace.wire.block.Block;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

/** Makes the operator where it runs, so that the operator itself need not be serialisable. */
final class AnalyzerOperatorFactory<I extends Block, O extends Block>
    extends AbstractStreamOperatorFactory<O> implements OneInputStreamOperatorFactory<I, O> {
  private static final long serialVersionUID = 1L;

  private final AnalyzerFactory<I, O> analyzer;

  AnalyzerOperatorFactory(AnalyzerFactory<I, O> analyzer) {
    this.analyzer = analyzer;
  }

  @Override
  // The caller's T is our operator by the contract of the method.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T extends StreamOperator<O>> T createStreamOperator(
      StreamOperatorParameters<O> parameters) {
    return (T) new AnalyzerOperator<>(parameters, analyzer);
  }

  @Override
  @SuppressWarnings("rawtypes") // Flink declares it so.
  public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
    return AnalyzerOperator.class;
  }
}
