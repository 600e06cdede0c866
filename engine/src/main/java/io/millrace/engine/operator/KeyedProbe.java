package io.millrace.engine.operator;

import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.Selectable;
import java.io.Serializable;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A job of one step with state by key over blocks that are made on the spot, as fast as the step
 * takes them: what hosting, exchange and checkpoints cost without a log in front and a store
 * behind.
 *
 * @param blocks makes the blocks
 * @param in what kind of blocks they are
 * @param keys by what their rows are dealt out
 * @param out what kind of blocks the analyzer makes, which go nowhere
 * @param parallelism subtasks that make blocks, and that analyze them
 * @param analyzer the step
 */
public record KeyedProbe<I extends Selectable<I>, O extends Block>(
    Generator<I> blocks,
    BlockTypeInfo<I> in,
    RowKeys<I> keys,
    BlockTypeInfo<O> out,
    int parallelism,
    AnalyzerFactory<KeyedAnalyzer<I, O>> analyzer)
    implements EmbeddedFlink.JobBuilder {
  /** Name of the step, in front of its counters. */
  public static final String STEP = "probe";

  /** Makes blocks. Each subtask has a copy of its own. */
  @FunctionalInterface
  public interface Generator<I extends Block> extends Serializable {
    /** The block of that number, which is given away. */
    I block(long number);
  }

  @Override
  public void build(StreamExecutionEnvironment job) {
    DataStream<I> made =
        job.fromSequence(0, Long.MAX_VALUE - 1)
            .uid("numbers")
            .setParallelism(parallelism)
            .map(blocks::block)
            .returns(in)
            .uid("blocks")
            .setParallelism(parallelism);
    Analyzers.analyzeKeyed(made, keys, STEP, out, parallelism, analyzer);
  }
}
