package io.millrace.lab.records;

import io.millrace.wire.block.TableBlock;

/** Takes the records of a stream. */
public interface RecordTarget {
  /** The block of a key; the columns of its next row are to be written, then it is {@link #add}. */
  TableBlock block(long key);

  /** Says that the next row of the key's block is written. */
  void add(long key);
}
