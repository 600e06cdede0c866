package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.keyed.KeyGroups;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.exchange.KeyedExchange;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.Selectable;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** Puts analyzers into a job. */
public final class Analyzers {
  private Analyzers() {}

  /**
   * The stream that an analyzer makes of another one. On the thread of the step before it, if that
   * has the same parallelism and no exchange stands between.
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
      AnalyzerFactory<? extends Analyzer<I, O>> analyzer) {
    return blocks
        .transform(uid, out, AnalyzerOperatorFactory.of(analyzer))
        .uid(uid)
        .setParallelism(parallelism);
  }

  /**
   * The stream that an analyzer with state by key makes of another one: the rows are dealt out by
   * their keys first ({@link KeyedExchange}).
   *
   * @param keys by what the rows are dealt out
   * @param uid name of the step, in metrics and in checkpoints; never to be changed
   * @param out what kind of blocks come out
   * @param parallelism number of subtasks; may differ from start to start, up to {@link
   *     KeyGroups#DEFAULT_MAX}
   */
  public static <I extends Selectable<I>, O extends Block>
      SingleOutputStreamOperator<O> analyzeKeyed(
          DataStream<I> blocks,
          RowKeys<I> keys,
          String uid,
          BlockTypeInfo<O> out,
          int parallelism,
          AnalyzerFactory<KeyedAnalyzer<I, O>> analyzer) {
    return KeyedExchange.scatter(blocks, keys, uid + "-scatter")
        .transform(uid, out, AnalyzerOperatorFactory.keyed(analyzer))
        .uid(uid)
        .setParallelism(parallelism)
        .setMaxParallelism(KeyGroups.DEFAULT_MAX);
  }

  /** The input that an analyzer set aside ({@link io.millrace.analytics.Emitter#reject}). */
  public static DataStream<RawBatch> rejects(SingleOutputStreamOperator<?> analyzed) {
    return analyzed.getSideOutput(AnalyzerOperator.REJECTS);
  }
}
