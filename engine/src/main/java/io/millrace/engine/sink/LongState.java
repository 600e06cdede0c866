package io.millrace.engine.sink;

import io.millrace.wire.sink.UnrecoverableException;
import java.nio.ByteBuffer;

/** A number as state of a sink, big-endian: family (1 byte), version (1), flags (2), number (8). */
record LongState(char family) {
  private static final byte VERSION = 1;
  private static final int LENGTH = 12;
  private static final int NUMBER_OFFSET = 4;

  byte[] encode(long number) {
    return ByteBuffer.allocate(LENGTH)
        .put((byte) family)
        .put(VERSION)
        .putLong(NUMBER_OFFSET, number)
        .array();
  }

  long decode(byte[] state) {
    if (state.length != LENGTH || state[0] != family || state[1] != VERSION) {
      throw new UnrecoverableException(
          "the sink's state in the checkpoint is not of this release: use the newer one that wrote"
              + " it");
    }
    return ByteBuffer.wrap(state).getLong(NUMBER_OFFSET);
  }
}
