package io.millrace.lab.siege;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;

/**
 * Garbage on every port of the process, including those of its log and its job: random bytes,
 * announced lengths of 2 GiB without the data, and silence.
 */
final class Garbage implements Attack {
  private static final int BYTES = 4_096;
  private static final int DATAGRAM_BYTES = 1_400;
  private static final int DATAGRAMS = 20; // per connection
  private static final int MAX_HELD = 200;
  private static final double PER_SECOND = 100;

  private final Deque<SocketChannel> held = new ArrayDeque<>();
  private int turn;

  @Override
  public void strike(Attacker from) throws IOException {
    for (Proc.Listener listener : new Proc(from.target().pid()).listeners()) {
      for (int i = 0; i < DATAGRAMS; i++) {
        from.send(noise(from.random(), DATAGRAM_BYTES));
      }
      from.pace(PER_SECOND);
      try {
        SocketChannel channel = from.connect(listener.port());
        held.add(channel);
        channel.configureBlocking(false);
        channel.write(ByteBuffer.wrap(sent(from.random())));
      } catch (IOException e) {
        continue; // this port accepts no more
      }
      if (held.size() > MAX_HELD) {
        from.drop(held.remove());
      }
    }
  }

  private byte[] sent(SplittableRandom random) {
    byte[] bytes = noise(random, BYTES);
    return switch (turn++ % 3) {
      case 0 -> bytes;
      case 1 -> ByteBuffer.wrap(bytes).putInt(Integer.MAX_VALUE).array();
      default -> new byte[0];
    };
  }

  private static byte[] noise(SplittableRandom random, int most) {
    byte[] bytes = new byte[random.nextInt(Integer.BYTES, most)];
    random.nextBytes(bytes);
    return bytes;
  }
}
