package io.millrace.server.api;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Requests octet by octet, for what clients of libraries do not send. */
public final class RawHttp {
  private static final int PATIENCE_MILLIS = 10_000;

  private RawHttp() {}

  /**
   * What a server on loopback answers, until it closes the connection.
   *
   * @param request lines with {@code \n} between; an empty one ends the headers
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

  /** The status of an answer. */
  public static int status(String answer) {
    return Integer.parseInt(answer.split(" ", 3)[1]);
  }
}
