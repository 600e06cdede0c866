package io.millrace.store;

import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.Frontier;

/**
 * Receives the rows and reports of a sink in another process that writes its rows to files itself.
 * Blocks bring names and counters; their rows, which may be missing, are visible until the files
 * replace them.
 */
public interface FiledFlowWriter extends FlowWriter {
  /** Committed rows, which the sink must not write again; call it after begin(). */
  Frontier known();

  /** Replaces ids of texts with the table's ids of the same texts, in place. */
  void toStored(long[] ids);

  /**
   * Ends a buffer: all rows of a part that were appended since the previous end.
   *
   * @param part ordinal of the part in the other process
   * @param number number of the buffer, not used before
   */
  void end(int part, long number);

  /**
   * Adds the files of a buffer, which the other process has written, to the table.
   *
   * @throws StoreException if a file is missing
   */
  void written(long number, BlockInput report);
}
