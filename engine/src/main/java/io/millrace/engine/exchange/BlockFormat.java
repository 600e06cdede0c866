package io.millrace.engine.exchange;

import io.millrace.wire.block.Block;
import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Serial format of one kind of block. Not thread-safe; {@link #fresh} returns one for another
 * thread.
 */
interface BlockFormat<B extends Block> extends Serializable {
  /** Name in snapshots and messages; must never change. */
  String name();

  /** The class of the blocks. */
  Class<B> type();

  /** Writes a block in bulk. */
  void write(B block, DataOutputView out) throws IOException;

  B read(DataInputView in) throws IOException;

  /** An independent copy of a block. */
  B copy(B block);

  /** Returns this format with separate scratch memory. */
  BlockFormat<B> fresh();
}
