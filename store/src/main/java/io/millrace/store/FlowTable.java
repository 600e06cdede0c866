package io.millrace.store;

import io.millrace.wire.block.Frontier;
import java.time.Duration;

/**
 * A table of flows whose rows know their place in the log.
 *
 * <p>The exactly-once contract: a job that starts from a checkpoint calls {@link #rewind} with the
 * checkpoint's frontier <em>once, before any writer appends</em>, then reads the log from that
 * frontier on. Rows are visible as soon as they are flushed; those that a checkpoint covers are
 * also in the view {@code <name>_committed}. A frontier covers no rows at or behind {@link
 * Frontier#next} of their partition, and none of partitions that it does not name; what is said to
 * be committed grows by union, and a rewind draws it back. The methods without a fencing token are
 * for a process that is the table's only writer. Thread-safe.
 */
public interface FlowTable extends Table<Frontier> {
  /** Columns, those of the wire and all that data sets have added. */
  FlowSchema schema();

  /**
   * A writer of its own for one thread (a sink's subtask). Several writers of one table work side
   * by side.
   *
   * @param token under which the table was rewound last; the writer is refused from the next rewind
   *     on
   * @param longestWait how long a row may wait for others before it is made visible; with several
   *     writers, that of the first holds for all
   * @throws FencedException if the token is not the present one
   */
  FlowWriter writer(long token, Duration longestWait);

  /** A writer under the present token. */
  default FlowWriter writer(Duration longestWait) {
    return writer(token(), longestWait);
  }

  /** A rewind under the next token. */
  default long rewind(Frontier frontier) {
    return rewind(token() + 1, frontier);
  }

  /**
   * As {@link Table#committed} under the present token and the next id, for a checkpoint told of in
   * one piece.
   */
  void committed(Frontier frontier);

  /**
   * What the last completed checkpoint covers of the log, by {@linkplain
   * io.millrace.wire.block.LogPartition partition number}, without imported rows; {@link
   * Frontier#EMPTY} before the first.
   */
  Frontier committed();

  /** What is committed of imported rows, by partition number; no rewind takes it back. */
  Frontier imported();

  /** As {@link #committed}, with the rows stored since. */
  Frontier stored();

  /**
   * Begins another {@linkplain io.millrace.wire.block.LogPartition epoch} of the log, which has
   * lost values or was replaced. All rows of earlier epochs stay for good and count as committed,
   * except those that the log gives again in the new epoch. Without effect if that epoch has begun.
   *
   * @param from first offset, by partition number of the earlier epoch, that the log gives again
   * @param until first offset that it has lost; rows from there on stay
   * @param begin where the new epoch begins, by its partition numbers
   */
  void beginEpoch(Frontier from, Frontier until, Frontier begin);

  /**
   * Time of the newest row that this process has made visible, microseconds since the epoch; {@link
   * Long#MIN_VALUE} before the first.
   */
  long newestMicros();

  /** What retention has removed of the table. */
  StoredRetention retention();

  /**
   * What became of the datagrams from which the rows came, as exact as the rows: sums of the
   * blocks' counters. Exact after a {@link #rewind} to the frontier of the last completed
   * checkpoint or the one before. After one to a frontier between those, where the log has lost its
   * beginning, what cannot be told is left out and in {@link StoredCounters#skipped}: nothing is
   * counted twice.
   */
  StoredCounters counters();
}
