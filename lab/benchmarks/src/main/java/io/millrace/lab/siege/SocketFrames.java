package io.millrace.lab.siege;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Frames of a WebSocket (RFC 6455), masked with zeros. Used by one thread. */
final class SocketFrames {
  private static final int TEXT = 0x81;
  private static final int PING = 0x89;
  private static final int MASKED = 0x80;
  private static final int LENGTH_OF_TWO = 126;
  private static final int LENGTH_OF_EIGHT = 127;
  private static final int MASK_BYTES = 4;

  private long made;

  /** A record of the attacker's gateway. */
  byte[] record() {
    String record =
        "{\"gateway_id\":\"%s\",\"date\":%d,\"ipTx\":1,\"ipRx\":1,\"form\":\"counter\"}"
            .formatted(Target.GATEWAY, System.currentTimeMillis() + made++);
    byte[] text = record.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(text.length + 8)
        .put((byte) TEXT)
        .put((byte) (MASKED | LENGTH_OF_TWO))
        .putShort((short) text.length)
        .putInt(0)
        .put(text)
        .array();
  }

  /** A ping, which requires a pong. */
  static byte[] ping() {
    return ByteBuffer.allocate(2 + MASK_BYTES + 100)
        .put((byte) PING)
        .put((byte) (MASKED | 100))
        .array();
  }

  /** The start of a frame that announces {@code promised} bytes and has only {@code sent}. */
  static byte[] partial(int promised, int sent) {
    return ByteBuffer.allocate(2 + Long.BYTES + MASK_BYTES + sent)
        .put((byte) TEXT)
        .put((byte) (MASKED | LENGTH_OF_EIGHT))
        .putLong(promised)
        .array();
  }
}
