package io.millrace.pipelines.imports;

import io.millrace.wire.block.FlowBlock;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * A file of flows, read one value at a time. A value corresponds to an offset of the log: some rows
 * that are stored together. The same file with the same options has the same values at each
 * reading, so an interrupted import continues by number. Not thread-safe.
 */
public interface FlowFile extends AutoCloseable {
  /** Name of the format, as documented. */
  String format();

  /**
   * Reads the next value.
   *
   * @param partition of the rows
   * @param offset of the rows
   * @param out receives and owns any number of blocks
   * @return whether there was a value
   * @throws IOException if the file is damaged; the message says where and how. Rows before the
   *     damage were emitted
   */
  boolean next(int partition, long offset, Consumer<FlowBlock> out) throws IOException;

  /** Rejected records so far. */
  Rejections rejections();

  /** Approximate number of bytes of the file read so far. */
  long position();

  @Override
  void close() throws IOException;
}
