package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * A sink for blocks: where they go, how it is told which a checkpoint covers, and how long a row
 * may stay unseen.
 *
 * @param <B> the blocks that are stored
 * @param <P> how far the store is covered
 */
public final class RewindableSink<B extends Block, P> implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Counter: rows appended. */
  public static final String ROWS = "rowsStored";

  /** Meter: rows appended a second, over the last seconds. */
  public static final String ROWS_RATE = "rowsStoredPerSecond";

  /** Counter: flushes. */
  public static final String FLUSHES = "flushes";

  /** Counter: nanoseconds spent in appends, and in flushes. */
  public static final String APPEND_NANOS = "appendNanos";

  /** Counter: nanoseconds spent in flushes. */
  public static final String FLUSH_NANOS = "flushNanos";

  static final long NEVER = -1;

  /** As long as Flink takes for a share of busy time, so that the two go together. */
  static final int RATE_SECONDS = 5;

  private static final Duration DEFAULT_INTERVAL = Duration.ofMillis(100);
  private static final int DEFAULT_ROWS = 100_000;

  final SinkFactory<B, P> factory;
  final Coverage<B, P> coverage;
  final long flushMillis;
  final int flushRows;
  private final boolean isApart;

  private RewindableSink(
      SinkFactory<B, P> factory,
      Coverage<B, P> coverage,
      long flushMillis,
      int flushRows,
      boolean isApart) {
    this.factory = Objects.requireNonNull(factory);
    this.coverage = Objects.requireNonNull(coverage);
    this.flushMillis = flushMillis;
    this.flushRows = flushRows;
    this.isApart = isApart;
  }

  /**
   * A sink that flushes at most every 100 ms, or after 100,000 rows.
   *
   * @param factory opens the sinks of the subtasks
   * @param coverage tells which rows a checkpoint covers
   */
  public static <B extends Block, P> RewindableSink<B, P> of(
      SinkFactory<B, P> factory, Coverage<B, P> coverage) {
    return new RewindableSink<>(
        factory, coverage, DEFAULT_INTERVAL.toMillis(), DEFAULT_ROWS, false);
  }

  /**
   * The same with another bound for how long, and how many, rows are not visible. Rows that come
   * when the last flush is so long ago are flushed at once.
   */
  public RewindableSink<B, P> flushingEvery(Duration interval, int rows) {
    if (interval.toMillis() < 1 || rows < 1) {
      throw new IllegalArgumentException(
          "flush every " + interval + " or " + rows + " rows: at least 1 ms and 1 row");
    }
    return new RewindableSink<>(factory, coverage, interval.toMillis(), rows, isApart);
  }

  /**
   * The same for sinks that make rows visible by themselves: they are sealed for checkpoints only.
   */
  public RewindableSink<B, P> flushingForCheckpointsOnly() {
    return new RewindableSink<>(factory, coverage, NEVER, Integer.MAX_VALUE, isApart);
  }

  /**
   * The same on threads of its own, for sinks that take long to flush: the step before goes on
   * meanwhile.
   */
  public RewindableSink<B, P> apart() {
    return new RewindableSink<>(factory, coverage, flushMillis, flushRows, true);
  }

  /**
   * Puts the sink at the end of a job.
   *
   * @param uid under which what is covered stands in checkpoints; never to be changed
   */
  public void addTo(DataStream<B> blocks, String uid, int parallelism) {
    SingleOutputStreamOperator<Void> stored =
        blocks
            .transform(uid, Types.VOID, new RewindableSinkOperatorFactory<>(this))
            .uid(uid)
            .setParallelism(parallelism);
    if (isApart) {
      stored.disableChaining();
    }
  }
}
