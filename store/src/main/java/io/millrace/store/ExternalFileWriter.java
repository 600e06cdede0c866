package io.millrace.store;

import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.Frontier;

/**
 * Receives the reports of a sink in another process that writes files of the table itself. Blocks
 * carry names and counters, and may lack their rows; rows that they have are visible until the
 * files replace them.
 */
public interface ExternalFileWriter extends FlowWriter {
  /** Log coverage of the snapshots, whose rows the sink must skip; to be called after begin. */
  Frontier known();

  /** Replaces ids of texts by those that the table has for the same text, in place. */
  void toStored(long[] ids);

  /**
   * Ends a buffer, which has all rows of a part that were appended after the previous buffer.
   *
   * @param part ordinal of the part
   * @param number identifies the buffer, not used before
   */
  void end(int part, long number);

  /**
   * Takes over the files that the other process has written from a buffer.
   *
   * @param report the files and their sums
   * @throws StoreException if a file is missing or incomplete
   */
  void written(long number, BlockInput report);
}
