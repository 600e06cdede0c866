package io.millrace.server.ingest;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;

/**
 * Reassembles fragmented messages (RFC 6455, section 5.4). Their bytes count against the sender's
 * memory share. Not thread-safe.
 */
final class Fragments {
  private static final byte[] NONE = {};

  private final IngestMemory room;
  private final Object sender;
  private final int maxBytes;
  private byte[] bytes = NONE;
  private int length;
  private byte opCode = OpCode.UNDEFINED;

  enum Addition {
    KEPT,
    /** The message exceeds the size limit, and was dropped. */
    TOO_LONG,
    /** The sender exceeds its memory share. */
    NO_ROOM
  }

  Fragments(IngestMemory room, Object sender, int maxBytes) {
    this.room = room;
    this.sender = sender;
    this.maxBytes = maxBytes;
  }

  boolean isOpen() {
    return opCode != OpCode.UNDEFINED;
  }

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

  byte opCode() {
    return opCode;
  }

  /** Bytes of the message, up to {@link #length}. */
  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  void clear() {
    room.giveBack(sender, bytes.length);
    bytes = NONE;
    length = 0;
    opCode = OpCode.UNDEFINED;
  }
}
