package io.millrace.store.remote;

import io.millrace.wire.block.BlockInput;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Reads messages. Memory grows with received bytes, not with the announced length. Not thread-safe.
 */
final class MessageReader {
  private static final int FIRST_BYTES = 64 << 10;

  private final InputStream in;
  private final byte[] header = new byte[StoreProtocol.HEADER_LENGTH];
  private byte[] body = new byte[StoreProtocol.MAX_BYTES_OF_HELLO];
  private int length;

  MessageReader(InputStream in) {
    this.in = in;
  }

  /** Returns the type of the message, or -1 if the stream ends between two messages. */
  int next(int maxBytes) throws IOException {
    int first = in.read();
    if (first < 0) {
      return -1;
    }
    header[0] = (byte) first;
    fill(header, 1, header.length);
    BlockInput fields = new BlockInput(header, 0, header.length);
    length = fields.takeInt();
    int type = fields.takeByte();
    if (length < 0 || length > maxBytes) {
      throw new ProtocolException(
          "message of " + Integer.toUnsignedString(length) + " bytes, limit " + maxBytes);
    }
    for (int have = 0; have < length; ) {
      if (have == body.length) {
        body = Arrays.copyOf(body, Math.min(length, Math.max(FIRST_BYTES, body.length * 2)));
      }
      int until = Math.min(length, body.length);
      fill(body, have, until);
      have = until;
    }
    return type;
  }

  private void fill(byte[] target, int from, int until) throws IOException {
    while (from < until) {
      int read = in.read(target, from, until - from);
      if (read < 0) {
        throw new EOFException("connection closed within a message");
      }
      from += read;
    }
  }

  /** Body of the last message; valid until the next one. */
  BlockInput body() {
    return new BlockInput(body, 0, length);
  }

  byte[] bytes() {
    return body;
  }

  int length() {
    return length;
  }
}
