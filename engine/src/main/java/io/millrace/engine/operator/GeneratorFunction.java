package io.millrace.engine.operator;

import io.millrace.wire.block.Block;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.util.Collector;

final class GeneratorFunction<B extends Block> extends RichFlatMapFunction<Long, B> {
  private static final long serialVersionUID = 1L;

  private final BlockJob.Generator<B> generator;

  GeneratorFunction(BlockJob.Generator<B> generator) {
    this.generator = generator;
  }

  @Override
  public void open(OpenContext context) {
    generator.open();
  }

  @Override
  public void flatMap(Long number, Collector<B> out) {
    generator.make(number, out::collect);
  }
}
