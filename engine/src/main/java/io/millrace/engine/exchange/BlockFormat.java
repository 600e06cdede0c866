package io.millrace.engine.exchange;

import io.millrace.wire.block.Block;
import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * How one kind of block is written and read. Used by one thread; {@link #fresh} makes another for
 * the next thread.
 *
 * @param <B> the kind of block
 */
interface BlockFormat<B extends Block> extends Serializable {
  /** Name in snapshots and messages; never to be changed. */
  String name();

  /** The class of the blocks. */
  Class<B> type();

  /** Writes a block in bulk. */
  void write(B block, DataOutputView out) throws IOException;

  /** Reads what {@link #write} wrote. */
  B read(DataInputView in) throws IOException;

  /** A block of its own with the same content. */
  B copy(B block);

  /** The same format with scratch memory of its own. */
  BlockFormat<B> fresh();
}
