package io.millrace.engine.operator;

import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.RawBatch;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** Puts analyzers into a job. */
public final class Analyzers {
  private Analyzers() {}

  /**
   * The stream that an analyzer makes of another one. On the thread of the step before it, if that
   * has the same parallelism and no {@code BlockScatter} stands between.
   *
   * @param uid name of the step, in metrics and in checkpoints; never to be changed
   * @param out what kind of blocks come out
   * @param parallelism number of subtasks, each with an analyzer of its own
   */
  public static <I extends Block, O extends Block> SingleOutputStreamOperator<O> analyze(
      DataStream<I> blocks,
      String uid,
      BlockTypeInfo<O> out,
      int parallelism,
      AnalyzerFactory<I, O> analyzer) {
    return blocks
        .transform(uid, out, new AnalyzerOperatorFactory<>(analyzer))
        .uid(uid)
        .setParallelism(parallelism);
  }

  /** The input that an analyzer set aside ({@link io.millrace.analytics.Emitter#reject}). */
  public static DataStream<RawBatch> rejects(SingleOutputStreamOperator<?> analyzed) {
    return analyzed.getSideOutput(AnalyzerOperator.REJECTS);
  }
}
