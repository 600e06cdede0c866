package io.millrace.testing;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Raw HTTP requests, for input that client libraries do not send. */
public final class RawHttp {
  private static final int PATIENCE_MILLIS = 10_000;

  private static final Pattern LENGTH = Pattern.compile("(?i)content-length: (\\d+)");

  private RawHttp() {}

  /**
   * Returns the response of a server on loopback, until it closes the connection.
   *
   * @param request lines separated by {@code }; an empty one ends the headers
   */
  public static String answer(int port, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket
          .getOutputStream()
          .write(request.replace("\n", "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Returns the next response of a persistent connection, by its Content-Length. */
  public static String next(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("connection closed after: " + head);
      }
      head.append((char) next);
    }
    Matcher length = LENGTH.matcher(head);
    int bytes = length.find() ? Integer.parseInt(length.group(1)) : 0;
    return head + new String(in.readNBytes(bytes), StandardCharsets.UTF_8);
  }

  /** Status code of a response. */
  public static int status(String answer) {
    return Integer.parseInt(answer.split(" ", 3)[1]);
  }
}
