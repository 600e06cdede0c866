package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.Output;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.TwoInputAnalyzer;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.exchange.KeyedExchange;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.Selectable;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** Adds analyzers to a job. */
public final class Analyzers {
  private Analyzers() {}

  /**
   * Applies an analyzer to a stream. It runs on the thread of the previous step if that has the
   * same parallelism and there is no exchange between them. Other steps may share the blocks, so
   * the analyzer must neither change nor keep them; an analyzer from a job's own jars gets copies.
   *
   * @param uid name of the step, in metrics and in checkpoints; must never change
   * @param out type of the output blocks
   * @param parallelism number of subtasks, each with its own analyzer
   */
  public static <I extends Block, O extends Block> SingleOutputStreamOperator<O> analyze(
      DataStream<I> blocks,
      String uid,
      BlockTypeInfo<O> out,
      int parallelism,
      AnalyzerFactory<? extends Analyzer<I, O>> analyzer) {
    return analyze(blocks, uid, out, parallelism, Optional.empty(), analyzer);
  }

  /**
   * Applies an analyzer to a stream, with event time that advances while the log is idle.
   *
   * @param quiet how long all partitions of the log must have been idle before the watermark
   *     advances by the clock. The resulting rows have no position in the log: only for steps whose
   *     sink covers them by checkpoint ({@link io.millrace.engine.sink.CheckpointCoverage})
   */
  public static <I extends Block, O extends Block> SingleOutputStreamOperator<O> analyze(
      DataStream<I> blocks,
      String uid,
      BlockTypeInfo<O> out,
      int parallelism,
      Optional<Duration> quiet,
      AnalyzerFactory<? extends Analyzer<I, O>> analyzer) {
    return blocks
        .transform(
            uid, out, new StepOperatorFactory.OneInput<>(analyzer, Hosting.of(quiet, analyzer)))
        .uid(uid)
        .setParallelism(parallelism);
  }

  /**
   * Applies an analyzer with keyed state to a stream: the rows are distributed by key first ({@link
   * KeyedExchange}).
   *
   * @param keys of the rows
   * @param uid name of the step, in metrics and in checkpoints; must never change
   * @param out type of the output blocks
   * @param parallelism number of subtasks; may differ between starts, up to {@link
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
    return analyzeKeyed(blocks, keys, uid, out, parallelism, Optional.empty(), analyzer);
  }

  /**
   * Applies an analyzer with keyed state to a stream, with event time that advances while the log
   * is idle.
   *
   * @param quiet as for {@link #analyze(DataStream, String, BlockTypeInfo, int, Optional,
   *     AnalyzerFactory)}
   */
  public static <I extends Selectable<I>, O extends Block>
      SingleOutputStreamOperator<O> analyzeKeyed(
          DataStream<I> blocks,
          RowKeys<I> keys,
          String uid,
          BlockTypeInfo<O> out,
          int parallelism,
          Optional<Duration> quiet,
          AnalyzerFactory<KeyedAnalyzer<I, O>> analyzer) {
    return KeyedExchange.scatter(blocks, keys, uid + "-scatter")
        .transform(uid, out, new StepOperatorFactory.OneInput<>(analyzer, Hosting.keyed(quiet)))
        .uid(uid)
        .setParallelism(parallelism)
        .setMaxParallelism(KeyGroups.DEFAULT_MAX);
  }

  /**
   * Applies an analyzer to two streams, whose blocks may be of different kinds: the rows of both
   * are distributed by key first, so that rows of one key reach the same subtask. The watermark is
   * the lesser of both; an input whose partitions are all idle does not hold it back.
   *
   * @param uid name of the step, in metrics and in checkpoints; must never change
   * @param out type of the output blocks
   * @param parallelism number of subtasks; may differ between starts, up to {@link
   *     KeyGroups#DEFAULT_MAX}
   * @param quiet as for {@link #analyze(DataStream, String, BlockTypeInfo, int, Optional,
   *     AnalyzerFactory)}, for both inputs together
   */
  public static <F extends Selectable<F>, S extends Selectable<S>, O extends Block>
      SingleOutputStreamOperator<O> analyzeKeyed(
          KeyedInput<F> first,
          KeyedInput<S> second,
          String uid,
          BlockTypeInfo<O> out,
          int parallelism,
          Optional<Duration> quiet,
          AnalyzerFactory<? extends TwoInputAnalyzer<F, S, O>> analyzer) {
    return first
        .scattered(uid + "-scatter-first")
        .connect(second.scattered(uid + "-scatter-second"))
        .transform(uid, out, new StepOperatorFactory.TwoInputs<>(analyzer, Hosting.keyed(quiet)))
        .uid(uid)
        .setParallelism(parallelism)
        .setMaxParallelism(KeyGroups.DEFAULT_MAX);
  }

  /**
   * A side output of an analyzer. Blocks emitted in one call to any output are on the same side of
   * a checkpoint barrier.
   *
   * @param output that the analyzer {@linkplain Analyzer#outputs names}
   */
  public static <B extends Block> DataStream<B> output(
      SingleOutputStreamOperator<?> analyzed, Output<B> output) {
    return analyzed.getSideOutput(StepOperator.tag(output));
  }

  /**
   * Stream of the input that an analyzer rejected ({@link io.millrace.analytics.Emitter#reject}).
   */
  public static DataStream<RawBatch> rejects(SingleOutputStreamOperator<?> analyzed) {
    return analyzed.getSideOutput(StepOperator.REJECTS);
  }
}
