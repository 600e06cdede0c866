package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.Selectable;
import java.io.Serializable;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * A job of analyzers over generated blocks, without log and store, built without Flink's API: for
 * benchmarks and trials. The output of the last step is dropped.
 *
 * @param <B> the blocks that the last step emits
 */
public final class BlockJob<B extends Block> implements EmbeddedFlink.JobBuilder {
  /** Generates blocks from numbers; each subtask has its own copy. */
  public interface Generator<B extends Block> extends Serializable {
    /** Called once per subtask, before the first number. */
    default void open() {}

    /** Emits the blocks of a number; the same blocks at each call. */
    void make(long number, Consumer<B> out);

    /**
     * Event time after the blocks of a number, in microseconds; {@link Long#MIN_VALUE} for none.
     */
    default long passed(long number) {
      return Long.MIN_VALUE;
    }
  }

  private final int parallelism;
  private final Function<StreamExecutionEnvironment, DataStream<B>> steps;

  private BlockJob(int parallelism, Function<StreamExecutionEnvironment, DataStream<B>> steps) {
    this.parallelism = parallelism;
    this.steps = steps;
  }

  /**
   * A job that generates blocks. The numbers are split into ranges over the subtasks, and their
   * positions are part of checkpoints, so that blocks are replayed exactly.
   *
   * @param count of numbers, from 0; {@link Long#MAX_VALUE} for a job that does not end
   * @param parallelism of all steps
   */
  public static <B extends Block> BlockJob<B> generating(
      long count, BlockTypeInfo<B> type, int parallelism, Generator<B> generator) {
    return new BlockJob<>(
        parallelism,
        job ->
            job.fromSequence(0, count - 1)
                .uid("numbers")
                .setParallelism(parallelism)
                .assignTimestampsAndWatermarks(GeneratedTimes.strategy(generator))
                .uid("times")
                .setParallelism(parallelism)
                .flatMap(new GeneratorFunction<>(generator))
                .returns(type)
                .uid("blocks")
                .setParallelism(parallelism));
  }

  /** The job with one more step; see {@link Analyzers#analyze}. */
  public <O extends Block> BlockJob<O> analyze(
      String uid, BlockTypeInfo<O> out, AnalyzerFactory<? extends Analyzer<B, O>> analyzer) {
    return new BlockJob<>(
        parallelism, job -> Analyzers.analyze(steps.apply(job), uid, out, parallelism, analyzer));
  }

  /**
   * The job with a next step that runs on its own threads instead of those of the previous step.
   */
  public BlockJob<B> onNextThread() {
    return new BlockJob<>(parallelism, job -> steps.apply(job).rescale());
  }

  /** A job with one more step, keyed; see {@link Analyzers#analyzeKeyed}. */
  public static <I extends Selectable<I>, O extends Block> BlockJob<O> analyzeKeyed(
      BlockJob<I> job,
      RowKeys<I> keys,
      String uid,
      BlockTypeInfo<O> out,
      AnalyzerFactory<KeyedAnalyzer<I, O>> analyzer) {
    return new BlockJob<>(
        job.parallelism,
        environment ->
            Analyzers.analyzeKeyed(
                job.steps.apply(environment), keys, uid, out, job.parallelism, analyzer));
  }

  /** A job with several more steps. */
  public static <I extends Block, O extends Block> BlockJob<O> append(
      BlockJob<I> job, Function<DataStream<I>, DataStream<O>> more) {
    return new BlockJob<>(job.parallelism, environment -> more.apply(job.steps.apply(environment)));
  }

  @Override
  public void build(StreamExecutionEnvironment job) {
    steps.apply(job).sinkTo(new DiscardingSink<>()).uid("nothing").setParallelism(parallelism);
  }
}
