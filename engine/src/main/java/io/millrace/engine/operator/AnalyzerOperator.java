package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.wire.block.Block;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Hosts an analyzer of one input. */
final class AnalyzerOperator<I extends Block, O extends Block>
    extends StepOperator<O, Analyzer<I, O>> implements OneInputStreamOperator<I, O> {
  private static final long serialVersionUID = 1L;

  AnalyzerOperator(
      StreamOperatorParameters<O> parameters,
      AnalyzerFactory<? extends Analyzer<I, O>> factory,
      Hosting hosting) {
    super(parameters, factory, hosting, 1);
  }

  @Override
  public void processElement(StreamRecord<I> element) throws Exception {
    I block = element.getValue();
    process(element, analyzer -> analyzer.process(block, this));
  }
}
