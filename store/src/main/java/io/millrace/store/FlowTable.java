package io.millrace.store;

import io.millrace.wire.block.Frontier;
import java.time.Duration;

/**
 * A table of flows whose rows know their place in the log.
 *
 * <p>The exactly-once contract: a job that starts from a checkpoint calls {@link #rewind} with the
 * checkpoint's frontier <em>once, before any writer appends</em>, then reads the log from that
 * frontier on. Rows are visible as soon as they are flushed; those that a checkpoint covers are
 * also in the view {@code <name>_committed}. Thread-safe.
 *
 * <p>Each life of a job writes under a ticket, a number that grows from life to life, whoever gives
 * it out. A rewind closes the table to all earlier tickets: a writer of a former life that was
 * frozen or cut off, and comes back, is refused with {@link FencedException} and changes nothing.
 * The methods without a ticket are for a process that is the table's only writer.
 */
public interface FlowTable {
  /** Name in SQL. */
  String name();

  /** Columns, those of the wire and all that data sets have added. */
  FlowSchema schema();

  /**
   * A writer of its own for one thread (a sink's subtask). Several writers of one table work side
   * by side.
   *
   * @param ticket under which the table was rewound last; the writer is refused from the next
   *     rewind on
   * @param longestWait how long a row may wait for others before it is made visible; with several
   *     writers, that of the first holds for all
   * @throws FencedException if the ticket is not the present one
   */
  FlowWriter writer(long ticket, Duration longestWait);

  /** A writer under the present ticket. */
  default FlowWriter writer(Duration longestWait) {
    return writer(ticket(), longestWait);
  }

  /** Ticket of the last rewind, kept with the rows; 0 before the first. */
  long ticket();

  /**
   * Forgets what writers have not committed, who must not go on then, and deletes the rows that the
   * frontier does not cover: those at or behind {@link Frontier#next} of their partition, and all
   * rows of partitions that it does not name. Durable on return, and whole: after a crash in the
   * middle, all of them are there or none. Also draws the committed frontier back to this one.
   *
   * @param ticket greater than that of any rewind before
   * @return number of rows deleted
   * @throws FencedException if the ticket is not greater; nothing is changed then
   */
  long rewind(long ticket, Frontier frontier);

  /** A rewind under the next ticket. */
  default long rewind(Frontier frontier) {
    return rewind(ticket() + 1, frontier);
  }

  /**
   * Says that a completed checkpoint covers the log up to the frontier; durable on return. A
   * frontier that covers less than an earlier one in some partition changes nothing there. Each
   * writer may tell of its own part of a checkpoint: the union holds.
   *
   * @param checkpoint its id, which grows from checkpoint to checkpoint since the last rewind
   * @throws FencedException if the ticket is not the present one
   */
  void committed(long ticket, long checkpoint, Frontier frontier);

  /** The same under the present ticket and the next id, for a checkpoint told of in one piece. */
  void committed(Frontier frontier);

  /** What the last completed checkpoint covers; {@link Frontier#EMPTY} before the first. */
  Frontier committed();

  /**
   * Time of the newest row that this process has made visible, microseconds since the epoch; {@link
   * Long#MIN_VALUE} before the first.
   */
  long newestMicros();

  /** Number of rows that queries see now. */
  long rows();

  /** What retention has removed of the table. */
  StoredRetention retention();

  /**
   * What became of the datagrams from which the rows came, as exact as the rows: sums of the
   * blocks' tallies. Exact after a {@link #rewind} to the frontier of the last completed checkpoint
   * or the one before. After one to a frontier between those, where the log has lost its beginning,
   * what cannot be told is left out and in {@link StoredTally#skipped}: nothing is counted twice.
   */
  StoredTally tally();
}
