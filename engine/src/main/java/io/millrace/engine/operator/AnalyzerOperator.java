package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.Selectable;
import java.util.stream.IntStream;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

final class AnalyzerOperator<I extends Block, O extends Block>
    extends StepOperator<O, Analyzer<I, O>> implements OneInputStreamOperator<I, O> {
  private static final long serialVersionUID = 1L;

  private final transient boolean copies;
  private transient int[] all = {};

  AnalyzerOperator(
      StreamOperatorParameters<O> parameters,
      AnalyzerFactory<? extends Analyzer<I, O>> factory,
      Hosting hosting) {
    super(parameters, factory, hosting, 1);
    copies = hosting.copies();
  }

  @Override
  public void processElement(StreamRecord<I> element) throws Exception {
    I block = copies ? copy(element.getValue()) : element.getValue();
    process(element, analyzer -> analyzer.process(block, this));
  }

  @SuppressWarnings("unchecked") // a selection of rows is a block of the same kind
  private I copy(I block) {
    if (!(block instanceof Selectable<?> selectable)) {
      return block;
    }
    int rows = block.rows();
    if (all.length < rows) {
      all = IntStream.range(0, 2 * rows).toArray();
    }
    return (I) selectable.select(all, rows);
  }
}
