package io.millrace.engine.sink;

import io.millrace.wire.block.Block;

/**
 * A store as the stream job sees it: takes rows, shows them when flushed, and can forget those that
 * came from behind a place in the log.
 *
 * <p>One target is made for each subtask of the sink and used by that subtask's thread alone, but
 * for {@link #sync}. Calls come in this order: {@link #open}; {@link #rewind}, on one of the
 * subtasks only; when it has returned {@link #begin}, on each of them; then any number of {@link
 * #append}, {@link #flush}, {@link #passed} and {@link #committed}; then {@link #close}, which also
 * follows a failure. After a failure the job starts again with new targets, which rewind.
 *
 * <p>A target of a former life may not know that it has been given up: its process was frozen or
 * cut off, and wakes when the job has gone on elsewhere. So whatever changes the store is done
 * under a token that grows from life to life, and the store refuses all but that of its last
 * rewind, with an exception, unchanged.
 *
 * <p>Whatever else must be counted exactly once (what an exporter lost, what was rejected and why)
 * is written as rows of its own <em>in the same transaction</em> and under the same (partition,
 * offset), and is rewound with them: then it needs no state in checkpoints and cannot disagree with
 * the rows.
 *
 * @param <B> the blocks that are stored
 * @param <P> how far the store is covered: {@link Coverage}
 */
public interface RewindableTarget<B extends Block, P> extends AutoCloseable {
  /** Takes what storing needs: connections, appenders, buffers. */
  void open() throws Exception;

  /**
   * Makes the store hold exactly the rows that a checkpoint covers, whoever wrote them: all others
   * are deleted, in one transaction.
   *
   * <p>Where a frontier of the log says what is covered, partitions that it does not name are
   * covered up to nothing. Where a checkpoint's id does, see {@link CheckpointCoverage}.
   *
   * @param token greater than that of every rewind before, or the store refuses
   */
  void rewind(long token, P covered) throws Exception;

  /** From now on this target changes the store, under the token of the rewind. */
  void begin(long token) throws Exception;

  /** Takes a block; its rows may become visible at once, and must by the next {@link #flush}. */
  void append(B block) throws Exception;

  /**
   * Makes all rows appended so far visible to readers, and safe from a killed process. May block.
   */
  void flush() throws Exception;

  /**
   * Returns when what was flushed before would survive a power failure, without which no checkpoint
   * completes. Called by other threads than the subtask's, beside all other calls.
   */
  default void sync() throws Exception {}

  /**
   * A checkpoint's barrier has passed, behind a {@link #flush}: rows appended from now on are not
   * covered by that checkpoint. Also called in front of {@link #begin} with the id of the
   * checkpoint from which the subtask goes on, if there is one.
   */
  default void passed(long checkpointId) {}

  /**
   * A completed checkpoint covers {@code covered}: the next start rewinds to it or to a later one,
   * unless the checkpoint is lost on disk, and an older one must do. Every subtask's target is told
   * about itself; what holds for the store is the union of all of them.
   */
  default void committed(long checkpointId, P covered) throws Exception {}

  /** Gives everything back. What was not flushed must not become visible after the next rewind. */
  @Override
  void close() throws Exception;
}
