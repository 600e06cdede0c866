package io.millrace.pipelines.imports;

import io.millrace.wire.block.FlowBlock;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * A file of flows, read one value at a time. A value is a group of rows that are stored together,
 * like those of one offset of the log. The same file with the same options always gives the same
 * values, so an interrupted import can continue by their number. Not thread-safe.
 */
public interface FlowFile extends AutoCloseable {
  /** Name of the format, as documented. */
  String format();

  /**
   * Reads the next value.
   *
   * @param partition of the rows
   * @param offset of the rows
   * @param out receives any number of blocks, and owns them
   * @return whether there was a value
   * @throws IOException if the file is damaged; the message says where and how. rows before the
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
