package io.millrace.pipelines.imports;

import io.millrace.wire.block.FlowBlock;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * A file of flows, read one value at a time. A value is what an offset of the log is for live
 * traffic: some rows that are stored together. The same file with the same options has the same
 * values each time that it is read, so an import that was interrupted continues by number. Used by
 * one thread.
 */
public interface FlowFile extends AutoCloseable {
  /** Name of the format, as the documentation has it. */
  String format();

  /**
   * Reads the next value.
   *
   * @param partition of the rows
   * @param offset of the rows
   * @param out takes any number of blocks, which are its own
   * @return whether there was a value
   * @throws IOException if the file is damaged; the message says where and how. Rows before the
   *     damage were given out
   */
  boolean next(int partition, long offset, Consumer<FlowBlock> out) throws IOException;

  /** What made no row so far. */
  Rejections rejections();

  /** Bytes of the file that were read so far, at least about. */
  long position();

  @Override
  void close() throws IOException;
}
