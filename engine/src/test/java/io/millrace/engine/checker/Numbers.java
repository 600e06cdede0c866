package io.millrace.engine.checker;

import io.millrace.wire.block.RawBatch;
import java.nio.ByteBuffer;

/** A keyed number as a block: four bytes of key, eight of number, with a position in the log. */
final class Numbers {
  private static final int NUMBER_OFFSET = Integer.BYTES;
  private static final int LENGTH = NUMBER_OFFSET + Long.BYTES;

  private Numbers() {}

  static RawBatch block(int key, long number, int partition, long offset) {
    byte[] bytes = ByteBuffer.allocate(LENGTH).putInt(key).putLong(number).array();
    return RawBatch.wrap(bytes, partition, offset);
  }

  static int key(RawBatch block) {
    return ByteBuffer.wrap(block.bytes()).getInt(0);
  }

  static long number(RawBatch block) {
    return ByteBuffer.wrap(block.bytes()).getLong(NUMBER_OFFSET);
  }
}
