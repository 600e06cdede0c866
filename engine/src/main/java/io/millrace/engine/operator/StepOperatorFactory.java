package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.keyed.TwoInputAnalyzer;
import io.millrace.wire.block.Block;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperatorFactory;

abstract class StepOperatorFactory<O extends Block> extends AbstractStreamOperatorFactory<O> {
  private static final long serialVersionUID = 1L;

  private final Class<?> type;

  private StepOperatorFactory(Class<?> type) {
    this.type = type;
  }

  abstract StreamOperator<O> operator(StreamOperatorParameters<O> parameters);

  @Override
  // By the contract of this method, T is the class created here.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T extends StreamOperator<O>> T createStreamOperator(
      StreamOperatorParameters<O> parameters) {
    return (T) operator(parameters);
  }

  @Override
  @SuppressWarnings({"rawtypes", "unchecked"}) // Flink's signature
  public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
    return (Class<? extends StreamOperator>) type;
  }

  static final class OneInput<I extends Block, O extends Block> extends StepOperatorFactory<O>
      implements OneInputStreamOperatorFactory<I, O> {
    private static final long serialVersionUID = 1L;

    private final AnalyzerFactory<? extends Analyzer<I, O>> analyzer;
    private final Hosting hosting;

    OneInput(AnalyzerFactory<? extends Analyzer<I, O>> analyzer, Hosting hosting) {
      super(AnalyzerOperator.class);
      this.analyzer = analyzer;
      this.hosting = hosting;
    }

    @Override
    StreamOperator<O> operator(StreamOperatorParameters<O> parameters) {
      return new AnalyzerOperator<>(parameters, analyzer, hosting);
    }
  }

  static final class TwoInputs<F extends Block, S extends Block, O extends Block>
      extends StepOperatorFactory<O> implements TwoInputStreamOperatorFactory<F, S, O> {
    private static final long serialVersionUID = 1L;

    private final AnalyzerFactory<? extends TwoInputAnalyzer<F, S, O>> analyzer;
    private final Hosting hosting;

    TwoInputs(AnalyzerFactory<? extends TwoInputAnalyzer<F, S, O>> analyzer, Hosting hosting) {
      super(TwoInputOperator.class);
      this.analyzer = analyzer;
      this.hosting = hosting;
    }

    @Override
    StreamOperator<O> operator(StreamOperatorParameters<O> parameters) {
      return new TwoInputOperator<>(parameters, analyzer, hosting);
    }
  }
}
