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

/** Puts analyzers into a job. */
public final class Analyzers {
  private Analyzers() {}

  /**
   * The stream that an analyzer makes of another one. On the thread of the step before it, if that
   * has the same parallelism and no exchange stands between. The blocks are those that other steps
   * get as well, so the analyzer changes and keeps none; an analyzer whose class comes from a job's
   * own jars gets copies.
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
    return analyze(blocks, uid, out, parallelism, Optional.empty(), analyzer);
  }

  /**
   * The same, with event time that goes on when nothing comes.
   *
   * @param quiet how long all partitions of the log must have been idle before event time goes on
   *     by the machine's clock. The rows that this brings about have no place in the log: only for
   *     steps whose sink knows them by checkpoint ({@link
   *     io.millrace.engine.sink.CheckpointCoverage})
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
    return analyzeKeyed(blocks, keys, uid, out, parallelism, Optional.empty(), analyzer);
  }

  /**
   * The same, with event time that goes on when nothing comes.
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
   * The stream that an analyzer makes of two others, whose blocks may be of different kinds: the
   * rows of both are dealt out by their keys first, so that those of one key meet. Event time is
   * the lesser of both; an input whose partitions are all idle does not hold it up.
   *
   * @param uid name of the step, in metrics and in checkpoints; never to be changed
   * @param out what kind of blocks come out
   * @param parallelism number of subtasks; may differ from start to start, up to {@link
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
   * One of the further outputs of an analyzer. What is emitted there lies on the same side of a
   * checkpoint's barrier as what is emitted with it.
   *
   * @param output that the analyzer {@linkplain Analyzer#outputs names}
   */
  public static <B extends Block> DataStream<B> output(
      SingleOutputStreamOperator<?> analyzed, Output<B> output) {
    return analyzed.getSideOutput(StepOperator.tag(output));
  }

  /** The input that an analyzer set aside ({@link io.millrace.analytics.Emitter#reject}). */
  public static DataStream<RawBatch> rejects(SingleOutputStreamOperator<?> analyzed) {
    return analyzed.getSideOutput(StepOperator.REJECTS);
  }
}
