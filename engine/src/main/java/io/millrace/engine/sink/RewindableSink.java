package io.millrace.engine.sink;

import io.millrace.engine.log.LogOffsets;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.Frontier;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * A sink for blocks: where they go, how they are placed, and how long a row may stay unseen.
 *
 * @param <B> the blocks that are stored
 */
public final class RewindableSink<B extends Block> implements Serializable {
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

  final TargetFactory<B> factory;
  final LogPlace<B> place;
  final String bootstrapServers;
  final String topic;
  final Frontier start;
  final long flushMillis;
  final int flushRows;

  private RewindableSink(
      TargetFactory<B> factory,
      LogPlace<B> place,
      String bootstrapServers,
      String topic,
      Frontier start,
      long flushMillis,
      int flushRows) {
    this.factory = Objects.requireNonNull(factory);
    this.place = Objects.requireNonNull(place);
    this.bootstrapServers = bootstrapServers;
    this.topic = topic;
    this.start = start;
    this.flushMillis = flushMillis;
    this.flushRows = flushRows;
  }

  /**
   * A sink that flushes 100 ms after the first row that is not visible, or after 100,000 rows.
   *
   * @param factory makes the targets
   * @param place tells where a block comes from
   * @param bootstrapServers of the log that the job reads
   * @param topic that the job reads: what it no longer holds is not rewound, for it could not be
   *     read again
   */
  public static <B extends Block> RewindableSink<B> of(
      TargetFactory<B> factory, LogPlace<B> place, String bootstrapServers, String topic) {
    return new RewindableSink<>(
        factory,
        place,
        bootstrapServers,
        topic,
        Frontier.EMPTY,
        DEFAULT_INTERVAL.toMillis(),
        DEFAULT_ROWS);
  }

  /** The same for a job that, without a checkpoint, starts at {@code start}; see the source. */
  public RewindableSink<B> startingAt(Frontier start) {
    return new RewindableSink<>(
        factory, place, bootstrapServers, topic, start, flushMillis, flushRows);
  }

  /** The same with another bound for how long, and how many, rows are not visible. */
  public RewindableSink<B> flushingEvery(Duration interval, int rows) {
    if (interval.toMillis() < 1 || rows < 1) {
      throw new IllegalArgumentException(
          "flush every " + interval + " or " + rows + " rows: at least 1 ms and 1 row");
    }
    return new RewindableSink<>(
        factory, place, bootstrapServers, topic, start, interval.toMillis(), rows);
  }

  /**
   * The same for targets that make rows visible by themselves: they are flushed for checkpoints
   * only.
   */
  public RewindableSink<B> flushingForCheckpointsOnly() {
    return new RewindableSink<>(
        factory, place, bootstrapServers, topic, start, NEVER, Integer.MAX_VALUE);
  }

  /**
   * Puts the sink at the end of a job.
   *
   * @param uid under which its frontier stands in checkpoints; never to be changed
   */
  public void addTo(DataStream<B> blocks, String uid, int parallelism) {
    blocks
        .transform(uid, Types.VOID, new RewindableSinkOperatorFactory<>(this))
        .uid(uid)
        .setParallelism(parallelism);
  }

  LogHorizon horizon() {
    try (LogOffsets offsets = new LogOffsets(bootstrapServers, topic)) {
      return new LogHorizon(offsets.begin(), offsets.end());
    }
  }
}
