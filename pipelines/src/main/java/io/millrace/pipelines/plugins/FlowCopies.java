package io.millrace.pipelines.plugins;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.FlowBlock;
import java.util.stream.IntStream;

/**
 * Copies each block, so that the analyzer behind may change and keep it: the store and other
 * plugins have the same block in their hands.
 */
final class FlowCopies implements Analyzer<FlowBlock, FlowBlock> {
  private int[] all = {};

  @Override
  public void process(FlowBlock block, Emitter<FlowBlock> out) {
    int rows = block.rows();
    if (all.length < rows) {
      all = IntStream.range(0, block.capacity()).toArray();
    }
    out.emit(block.select(all, rows));
  }
}
