package io.millrace.server.ingest.client;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import java.util.SplittableRandom;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * A WebSocket client (RFC 6455) for many small frames. They are written into a buffer, which is
 * sent when it is full or on {@link #flush}; Java's client needs a future and a write per frame.
 * One thread writes, one reads.
 *
 * <pre>
 *   0 1       8 9       16              32 bits
 *   +---------+-+-------+----------------+----------+---------+
 *   |F|  op   |M| length | more of length | mask (4) | payload |   section 5.2
 *   +---------+-+-------+----------------+----------+---------+
 * </pre>
 */
public final class WebSocketClient implements AutoCloseable {
  static final int TEXT = 1;

  static final int BINARY = 2;
  private static final int CLOSE = 8;
  private static final int PING = 9;

  private static final int FIN = 0x80;
  private static final int MASKED = 0x80;
  private static final int LENGTH_16 = 126;
  private static final int LENGTH_64 = 127;
  private static final int MAX_PAYLOAD = 1 << 24;
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int MAX_HEADER_BYTES = 1 << 14;
  private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private final SplittableRandom masks = new SplittableRandom();
  private final byte[] header = new byte[14];
  private byte[] masked = new byte[1 << 10];

  private WebSocketClient(Socket socket) throws IOException {
    this.socket = socket;
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
    out = new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES);
  }

  /** The server rejected the handshake; the message is the body of the response. */
  static final class RejectedException extends IOException {
    private static final long serialVersionUID = 1;

    private final int status;

    RejectedException(int status, String message) {
      super(message);
      this.status = status;
    }

    int status() {
      return status;
    }
  }

  static WebSocketClient connect(SendConfig config, String target, int timeoutMillis)
      throws IOException {
    String host = config.url().getHost();
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.connect(new InetSocketAddress(host, config.port()), timeoutMillis);
      if (config.isSecure()) {
        socket = secure(socket, host, config);
      }
      socket.setSoTimeout(timeoutMillis);
      WebSocketClient client = new WebSocketClient(socket);
      client.shakeHands(config, target);
      socket.setSoTimeout(0);
      return client;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private static Socket secure(Socket plain, String host, SendConfig config) throws IOException {
    SSLContext context;
    try {
      context = config.tls().isPresent() ? config.tls().get() : SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new IOException(e);
    }
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(plain, host, config.port(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  private void shakeHands(SendConfig config, String target) throws IOException {
    byte[] nonce = new byte[16];
    new SecureRandom().nextBytes(nonce);
    String key = Base64.getEncoder().encodeToString(nonce);
    String request =
        "GET "
            + target
            + " HTTP/1.1\r\nHost: "
            + config.url().getHost()
            + ":"
            + config.port()
            + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: "
            + key
            + "\r\n"
            + config.token().map(token -> "Authorization: Bearer " + token + "\r\n").orElse("")
            + "\r\n";
    out.write(request.getBytes(StandardCharsets.US_ASCII));
    out.flush();
    String response = readHeader();
    int status = status(response);
    if (status != 101) {
      throw new RejectedException(status, readBody(response));
    }
    String accept = "sec-websocket-accept: " + accept(key);
    if (response.lines().noneMatch(line -> line.strip().equalsIgnoreCase(accept))) {
      throw new IOException("invalid WebSocket handshake response");
    }
  }

  private static String accept(String key) throws IOException {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1")
              .digest((key + MAGIC).getBytes(StandardCharsets.US_ASCII));
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IOException(e);
    }
  }

  private String readHeader() throws IOException {
    ByteArrayOutputStream header = new ByteArrayOutputStream();
    int last = 0;
    while (last != 0x0D0A0D0A) {
      int b = in.read();
      if (b < 0 || header.size() > MAX_HEADER_BYTES) {
        throw new EOFException("the server closed the connection within its response");
      }
      header.write(b);
      last = last << 8 | b;
    }
    return header.toString(StandardCharsets.ISO_8859_1);
  }

  private static int status(String response) throws IOException {
    String[] parts = response.split(" ", 3);
    if (parts.length < 3 || !parts[1].matches("\\d{3}")) {
      throw new IOException("the server's response is not HTTP");
    }
    return Integer.parseInt(parts[1]);
  }

  private String readBody(String header) throws IOException {
    int length =
        header
            .lines()
            .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
            .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
            .findFirst()
            .orElse(0);
    InputStream body = in;
    return new String(body.readNBytes(Math.min(length, MAX_HEADER_BYTES)), StandardCharsets.UTF_8);
  }

  synchronized void write(int opcode, byte[] payload) throws IOException {
    int length = payload.length;
    int at = 0;
    header[at++] = (byte) (FIN | opcode);
    if (length < LENGTH_16) {
      header[at++] = (byte) (MASKED | length);
    } else if (length <= 0xFFFF) {
      header[at++] = (byte) (MASKED | LENGTH_16);
      header[at++] = (byte) (length >> 8);
      header[at++] = (byte) length;
    } else {
      header[at++] = (byte) (MASKED | LENGTH_64);
      for (int shift = 56; shift >= 0; shift -= 8) {
        header[at++] = (byte) ((long) length >> shift);
      }
    }
    int mask = masks.nextInt();
    if (masked.length < length) {
      masked = new byte[length * 2];
    }
    byte[] to = masked;
    for (int i = 0; i < length; i++) {
      to[i] = (byte) (payload[i] ^ mask >>> (24 - 8 * (i & 3)));
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
      header[at++] = (byte) (mask >>> shift);
    }
    out.write(header, 0, at);
    out.write(to, 0, length);
  }

  synchronized void flush() throws IOException {
    out.flush();
  }

  /** Sends a close frame; the server's reply ends {@link #read}. */
  synchronized void end() throws IOException {
    write(CLOSE, new byte[] {1000 >> 8, (byte) 1000});
    flush();
  }

  /** Reads the next message, answering pings; null after a regular close (status 1000). */
  String read() throws IOException {
    while (true) {
      int opcode = in.readUnsignedByte() & 0x0F;
      long length = in.readUnsignedByte();
      if (length == LENGTH_16) {
        length = in.readUnsignedShort();
      } else if (length == LENGTH_64) {
        length = in.readLong();
      }
      if (length < 0 || length > MAX_PAYLOAD) {
        throw new IOException(
            "the server sent a frame of " + length + " bytes, which exceeds the limit");
      }
      byte[] payload = new byte[(int) length];
      in.readFully(payload);
      switch (opcode) {
        case TEXT -> {
          return new String(payload, StandardCharsets.UTF_8);
        }
        case PING -> {
          synchronized (this) {
            write(PING + 1, payload);
            flush();
          }
        }
        case CLOSE -> {
          int status = length < 2 ? 1005 : (payload[0] & 0xFF) << 8 | (payload[1] & 0xFF);
          if (status == 1000 || status == 1005) {
            return null;
          }
          String reason = new String(payload, 2, payload.length - 2, StandardCharsets.UTF_8);
          throw new IOException("the server closed the connection: " + status + " " + reason);
        }
        default -> {} // a pong or an unknown opcode
      }
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // already closed
    }
  }
}
