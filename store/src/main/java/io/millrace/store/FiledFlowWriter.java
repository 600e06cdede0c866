package io.millrace.store;

import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.Frontier;

/**
 * Takes what a sink in another process says of the rows that it writes to files itself. Blocks
 * bring their names and counters; their rows are visible until the files take their place, and may
 * be missing.
 */
public interface FiledFlowWriter extends FlowWriter {
  /** Rows that a snapshot has, and that are not to be written once more; after the begin. */
  Frontier known();

  /** Replaces ids of texts by those that the table has for the same text, in place. */
  void toStored(long[] ids);

  /**
   * Ends a stretch of rows: all rows of a part that were appended after the one before.
   *
   * @param part ordinal, as the other process has it
   * @param number of the stretch, not used before
   */
  void end(int part, long number);

  /**
   * The other process has written a stretch to files, which belong to the table from now on.
   *
   * @throws StoreException if a file is not there
   */
  void written(long number, BlockInput report);
}
