package io.millrace.lab.siege;

import io.millrace.store.remote.StoreServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Clients of the store's protocol without its secret: some send a wrong one, some announce a
 * message of maximum size and send a part of it, some stay silent.
 */
final class ForeignWriters implements Attack {
  private static final int AT_ONCE = 400;
  private static final byte HELLO = 1;
  private static final byte PART = 10;
  private static final byte[] MAGIC = "millrace".getBytes(StandardCharsets.US_ASCII);
  private static final int SECRET_BYTES = 32;
  private static final int ANNOUNCED_BYTES = 16 << 20;
  private static final int SENT_BYTES = 256 << 10;
  private static final int KINDS = 3;

  private final Crowd crowd = Crowd.ofReaders(AT_ONCE);
  private int turn;

  @Override
  public void strike(Attacker from) throws IOException {
    crowd.turn(from, from.target().store(), () -> said(from.random()));
  }

  private byte[] said(SplittableRandom random) {
    return switch (turn++ % KINDS) {
      case 0 -> hello(random);
      case 1 ->
          ByteBuffer.allocate(SENT_BYTES)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putInt(ANNOUNCED_BYTES)
              .put(PART)
              .array();
      default -> new byte[0];
    };
  }

  private static byte[] hello(SplittableRandom random) {
    byte[] secret = new byte[SECRET_BYTES];
    random.nextBytes(secret);
    int length = MAGIC.length + Short.BYTES + secret.length;
    return ByteBuffer.allocate(Integer.BYTES + 1 + length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(length)
        .put(HELLO)
        .put(MAGIC)
        .putShort((short) StoreServer.PROTOCOL_VERSION)
        .put(secret)
        .array();
  }
}
