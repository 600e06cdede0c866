package io.millrace.store.remote;

import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.util.OptionalLong;

/** The table of one connection, as its messages work on it. Used by the connection's thread. */
interface WriterSession extends AutoCloseable {
  /**
   * Does what a message asks for.
   *
   * @param body of the message
   * @return the answer; empty for a message that has none
   * @throws ProtocolException if there is no such message for this kind of table
   */
  OptionalLong work(int type, BlockInput body) throws IOException;

  @Override
  void close();

  /** A message that means nothing here. */
  static ProtocolException unknown(int type) {
    return new ProtocolException("a message of the unknown type " + type);
  }
}
