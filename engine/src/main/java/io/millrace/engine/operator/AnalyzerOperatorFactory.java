package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.wire.block.Block;
import java.io.Serializable;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

/** Makes the operator where it runs, so that the operator itself need not be serialisable. */
final class AnalyzerOperatorFactory<I extends Block, O extends Block>
    extends AbstractStreamOperatorFactory<O> implements OneInputStreamOperatorFactory<I, O> {
  private static final long serialVersionUID = 1L;

  /** Makes one kind of operator. */
  @FunctionalInterface
  private interface Host<O> extends Serializable {
    StreamOperator<O> operator(StreamOperatorParameters<O> parameters);
  }

  private final Class<?> type;
  private final Host<O> host;

  private AnalyzerOperatorFactory(Class<?> type, Host<O> host) {
    this.type = type;
    this.host = host;
  }

  static <I extends Block, O extends Block> AnalyzerOperatorFactory<I, O> of(
      AnalyzerFactory<? extends Analyzer<I, O>> analyzer, Optional<Duration> quiet) {
    Duration patience = quiet.orElse(null); // an Optional does not travel
    return new AnalyzerOperatorFactory<>(
        AnalyzerOperator.class,
        parameters -> new AnalyzerOperator<>(parameters, analyzer, Optional.ofNullable(patience)));
  }

  static <I extends Block, O extends Block> AnalyzerOperatorFactory<I, O> keyed(
      AnalyzerFactory<KeyedAnalyzer<I, O>> analyzer, Optional<Duration> quiet) {
    Duration patience = quiet.orElse(null);
    return new AnalyzerOperatorFactory<>(
        KeyedAnalyzerOperator.class,
        parameters ->
            new KeyedAnalyzerOperator<>(parameters, analyzer, Optional.ofNullable(patience)));
  }

  @Override
  // The caller's T is our operator by the contract of the method.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T extends StreamOperator<O>> T createStreamOperator(
      StreamOperatorParameters<O> parameters) {
    return (T) host.operator(parameters);
  }

  @Override
  @SuppressWarnings({"rawtypes", "unchecked"}) // Flink declares it so.
  public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
    return (Class<? extends StreamOperator>) type;
  }
}
