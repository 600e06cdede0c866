package io.millrace.pipelines.flows;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import java.util.stream.IntStream;

/**
 * Gives an analyzer a copy of each block, which it may change and keep: the store and other plugins
 * have the same block in their hands.
 */
final class FlowCopies implements Analyzer<FlowBlock, TableBlock> {
  private final Analyzer<FlowBlock, TableBlock> analyzer;
  private int[] all = {};

  FlowCopies(Analyzer<FlowBlock, TableBlock> analyzer) {
    this.analyzer = analyzer;
  }

  @Override
  public void open(AnalyzerContext context) throws Exception {
    analyzer.open(context);
  }

  @Override
  public void process(FlowBlock block, Emitter<TableBlock> out) throws Exception {
    int rows = block.rows();
    if (all.length < rows) {
      all = IntStream.range(0, block.capacity()).toArray();
    }
    analyzer.process(block.select(all, rows), out);
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) throws Exception {
    analyzer.watermark(micros, out);
  }

  @Override
  public void close() throws Exception {
    analyzer.close();
  }
}
