package io.millrace.engine.operator;

import io.millrace.analytics.keyed.TwoInputAnalyzer;
import io.millrace.wire.block.Block;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

final class TwoInputOperator<F extends Block, S extends Block, O extends Block>
    extends StepOperator<O, TwoInputAnalyzer<F, S, O>> implements TwoInputStreamOperator<F, S, O> {
  private static final long serialVersionUID = 1L;

  TwoInputOperator(
      StreamOperatorParameters<O> parameters,
      AnalyzerFactory<? extends TwoInputAnalyzer<F, S, O>> factory,
      Hosting hosting) {
    super(parameters, factory, hosting, 2);
  }

  @Override
  public void processElement1(StreamRecord<F> element) throws Exception {
    F block = element.getValue();
    process(element, analyzer -> analyzer.processFirst(block, this));
  }

  @Override
  public void processElement2(StreamRecord<S> element) throws Exception {
    S block = element.getValue();
    process(element, analyzer -> analyzer.processSecond(block, this));
  }
}
