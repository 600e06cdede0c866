package io.millrace.server.ingest;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;

/**
 * A message that comes in several frames (RFC 6455, section 5.4), or in parts of one, put together.
 * Its memory is its sender's. Not thread-safe.
 */
final class Fragments {
  private static final byte[] NONE = {};

  private final Room room;
  private final Object sender;
  private final int maxBytes;
  private byte[] bytes = NONE;
  private int length;
  private byte opCode = OpCode.UNDEFINED;

  /** What became of a part. */
  enum Addition {
    KEPT,
    /** The message is too long, and nothing more of it is kept. */
    TOO_LONG,
    /** The sender holds too much already. */
    NO_ROOM
  }

  Fragments(Room room, Object sender, int maxBytes) {
    this.room = room;
    this.sender = sender;
    this.maxBytes = maxBytes;
  }

  /** Whether a message has begun and not ended. */
  boolean isOpen() {
    return opCode != OpCode.UNDEFINED;
  }

  /** Adds a frame's payload. */
  Addition add(Frame frame) {
    ByteBuffer payload = frame.getPayload();
    int more = payload.remaining();
    if (more > maxBytes - length) {
      return Addition.TOO_LONG;
    }
    if (!isOpen()) {
      opCode = frame.getOpCode();
    }
    if (bytes.length < length + more) {
      int capacity = Math.min(maxBytes, Math.max(length + more, bytes.length * 2));
      if (!room.hold(sender, capacity - bytes.length)) {
        return Addition.NO_ROOM;
      }
      bytes = Arrays.copyOf(bytes, capacity);
    }
    payload.duplicate().get(bytes, length, more);
    length += more;
    return Addition.KEPT;
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
    room.giveBack(sender, bytes.length);
    bytes = NONE;
    length = 0;
    opCode = OpCode.UNDEFINED;
  }
}
