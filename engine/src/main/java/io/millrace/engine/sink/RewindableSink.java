package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * A sink for blocks: its store, its coverage, and how long a row may stay invisible.
 *
 * @param <B> the blocks that are stored
 * @param <P> extent to which the store is covered
 */
public final class RewindableSink<B extends Block, P> implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Counter: rows appended. */
  public static final String ROWS = "rowsStored";

  /** Meter: rows appended per second, over the last seconds. */
  public static final String ROWS_RATE = "rowsStoredPerSecond";

  /** Counter: flushes. */
  public static final String FLUSHES = "flushes";

  /** Counter: nanoseconds spent in appends. */
  public static final String APPEND_NANOS = "appendNanos";

  /** Counter: nanoseconds spent in flushes. */
  public static final String FLUSH_NANOS = "flushNanos";

  static final long NEVER = -1;

  /** Same window as for Flink's busy share, so that the two are comparable. */
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
   * @param coverage determines which rows a checkpoint covers
   */
  public static <B extends Block, P> RewindableSink<B, P> of(
      SinkFactory<B, P> factory, Coverage<B, P> coverage) {
    return new RewindableSink<>(
        factory, coverage, DEFAULT_INTERVAL.toMillis(), DEFAULT_ROWS, false);
  }

  /**
   * This sink with other bounds on the time and number of rows before a flush. Rows that arrive
   * later than {@code interval} after the last flush are flushed at once.
   */
  public RewindableSink<B, P> flushingEvery(Duration interval, int rows) {
    if (interval.toMillis() < 1 || rows < 1) {
      throw new IllegalArgumentException(
          "flush every " + interval + " or " + rows + " rows: expected at least 1 ms and 1 row");
    }
    return new RewindableSink<>(factory, coverage, interval.toMillis(), rows, isApart);
  }

  /** This sink for stores that make rows visible themselves: sealed only at checkpoints. */
  public RewindableSink<B, P> flushingForCheckpointsOnly() {
    return new RewindableSink<>(factory, coverage, NEVER, Integer.MAX_VALUE, isApart);
  }

  /** This sink on separate threads, for slow flushes: the previous step continues meanwhile. */
  public RewindableSink<B, P> onSeparateThreads() {
    return new RewindableSink<>(factory, coverage, flushMillis, flushRows, true);
  }

  /**
   * Adds the sink to a job.
   *
   * @param uid of the coverage in checkpoints; must never change
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
