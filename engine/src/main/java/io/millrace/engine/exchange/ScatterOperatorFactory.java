package io.millrace.engine.exchange;

import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.Selectable;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

final class ScatterOperatorFactory<B extends Selectable<B>> extends AbstractStreamOperatorFactory<B>
    implements OneInputStreamOperatorFactory<B, B> {
  private static final long serialVersionUID = 1L;

  private final RowKeys<B> keys;

  ScatterOperatorFactory(RowKeys<B> keys) {
    this.keys = keys;
  }

  @Override
  // By the contract of this method, T is the class created here.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T extends StreamOperator<B>> T createStreamOperator(
      StreamOperatorParameters<B> parameters) {
    return (T) new ScatterOperator<>(parameters, keys);
  }

  @Override
  @SuppressWarnings("rawtypes") // Flink's signature
  public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
    return ScatterOperator.class;
  }
}
