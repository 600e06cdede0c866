package io.millrace.server.ingest;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;

/**
 * A message that comes in several frames (RFC 6455, section 5.4), put together. Its memory counts
 * as waiting for the log. Not thread-safe.
 */
final class Fragments {
  private static final byte[] NONE = {};

  private final Lanes lanes;
  private final int maxBytes;
  private byte[] bytes = NONE;
  private int length;
  private byte opCode = OpCode.UNDEFINED;

  Fragments(Lanes lanes, int maxBytes) {
    this.lanes = lanes;
    this.maxBytes = maxBytes;
  }

  /** Whether a message has begun and not ended. */
  boolean isOpen() {
    return opCode != OpCode.UNDEFINED;
  }

  /** Adds a frame's payload; false if the message is too long, of which nothing more is kept. */
  boolean add(Frame frame) {
    ByteBuffer payload = frame.getPayload();
    int more = payload.remaining();
    if (more > maxBytes - length) {
      return false;
    }
    if (!isOpen()) {
      opCode = frame.getOpCode();
    }
    if (bytes.length < length + more) {
      int capacity = Math.max(length + more, bytes.length * 2);
      lanes.hold(capacity - bytes.length);
      bytes = Arrays.copyOf(bytes, capacity);
    }
    payload.duplicate().get(bytes, length, more);
    length += more;
    return true;
  }

  /** Opcode of the first frame, which is the message's. */
  byte opCode() {
    return opCode;
  }

  /** The payload is at the beginning of it. */
  byte[] bytes() {
    return bytes;
  }

  /** Bytes of the payload so far. */
  int length() {
    return length;
  }

  /** Forgets the message, and gives its memory back. */
  void clear() {
    lanes.giveBack(bytes.length);
    bytes = NONE;
    length = 0;
    opCode = OpCode.UNDEFINED;
  }
}
