package io.millrace.lab.siege;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** WebSockets that each send all but one byte of a frame of maximum size. */
final class PartialFrames implements Attack {
  private static final int SOCKETS = 100;
  private static final int PROMISED_BYTES = 8 << 20;
  private static final int SENT_BYTES = PROMISED_BYTES - 1;

  private final Crowd crowd =
      new Crowd(SOCKETS, 1, SocketFrames.partial(PROMISED_BYTES, SENT_BYTES));
  private int number;

  @Override
  public void strike(Attacker from) throws IOException {
    crowd.turn(from, from.target().ingest(), () -> begin(from.target().token()));
  }

  private byte[] begin(String token) {
    return Requests.upgrade(token, "client=partial-" + number++)
        .getBytes(StandardCharsets.US_ASCII);
  }
}
