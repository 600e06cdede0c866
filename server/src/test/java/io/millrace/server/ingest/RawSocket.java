package io.millrace.server.ingest;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A connection from a chosen address, on which arbitrary bytes can be sent, and responses left
 * unread.
 */
final class RawSocket implements AutoCloseable {
  static final int TEXT = 1;
  static final int BINARY = 2;
  static final int CLOSE = 8;

  private final Socket socket;
  private final DataInputStream in;

  /** A frame from the server. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Frame(int opcode, byte[] payload) {
    String text() {
      return new String(payload, StandardCharsets.UTF_8);
    }

    /** Status of a close frame. */
    int status() {
      return ByteBuffer.wrap(payload).getShort();
    }
  }

  @SuppressWarnings("AddressSelection") // literals, which have one address
  RawSocket(String from, int port) throws IOException {
    socket = new Socket(InetAddress.getByName("127.0.0.1"), port, InetAddress.getByName(from), 0);
    socket.setSoTimeout(20_000);
    in = new DataInputStream(socket.getInputStream());
  }

  /** Opens a WebSocket; the query begins with a question mark. */
  static RawSocket webSocket(String from, int port, String query, String token) throws IOException {
    RawSocket raw = new RawSocket(from, port);
    raw.write(
        "GET /ingest/gateways/ws"
            + query
            + " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            + (token == null ? "" : "Authorization: Bearer " + token + "\r\n")
            + "\r\n");
    return raw;
  }

  void write(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Reads response headers; returns the status. */
  int status() throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.readUnsignedByte());
    }
    return Integer.parseInt(head.substring(9, 12));
  }

  /** Begins a frame of this length, and sends only the payload. */
  void frame(int opcode, int length, byte[] payload) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(0x80 | opcode);
    bytes.write(0x80 | 127);
    bytes.writeBytes(ByteBuffer.allocate(12).putLong(length).array()); // and a mask of zeros
    bytes.writeBytes(payload);
    OutputStream out = socket.getOutputStream();
    out.write(bytes.toByteArray());
  }

  void text(String text) throws IOException {
    byte[] payload = text.getBytes(StandardCharsets.UTF_8);
    frame(TEXT, payload.length, payload);
  }

  /** Reads the next frame other than a ping. */
  Frame read() throws IOException {
    while (true) {
      int opcode = in.readUnsignedByte() & 15;
      int length = in.readUnsignedByte();
      if (length == 126) {
        length = in.readUnsignedShort();
      }
      byte[] payload = in.readNBytes(length);
      if (opcode != 9) {
        return new Frame(opcode, payload);
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
