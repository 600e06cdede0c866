package io.millrace.lab.records;

import io.millrace.wire.block.TableBlock;

/** A receiver of a stream's records. */
public interface RecordTarget {
  /** Returns the block of a key; write the columns of its next row, then call {@link #add}. */
  TableBlock block(long key);

  /** Completes the next row of the key's block. */
  void add(long key);
}
