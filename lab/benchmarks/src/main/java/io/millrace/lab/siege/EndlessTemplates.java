package io.millrace.lab.siege;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Endless templates in endless domains, which would evict everyone else's without a limit. */
final class EndlessTemplates implements Attack {
  private static final int TEMPLATES = 40; // per datagram
  private static final int FIELDS = 4;
  private static final int IN_ALL = 60_000; // datagrams
  private static final int DATAGRAMS = 25; // per domain
  private static final int HEADER = 20;
  private static final int MIN_ID = 256;

  private int number;

  @Override
  public void strike(Attacker from) throws IOException {
    int set = 4 + TEMPLATES * (4 + 4 * FIELDS);
    ByteBuffer bytes = ByteBuffer.allocate(HEADER + set);
    int seconds = (int) (System.currentTimeMillis() / 1_000);
    bytes.putShort((short) 9).putShort((short) TEMPLATES).putInt(number).putInt(seconds);
    bytes.putInt(number % DATAGRAMS).putInt(number / DATAGRAMS);
    bytes.putShort((short) 0).putShort((short) set);
    for (int i = 0; i < TEMPLATES; i++) {
      bytes.putShort((short) (MIN_ID + number % DATAGRAMS * TEMPLATES + i));
      bytes.putShort((short) FIELDS);
      for (int field = 0; field < FIELDS; field++) {
        bytes.putShort((short) from.random().nextInt(1, 60)).putShort((short) 4);
      }
    }
    from.send(bytes.array());
    number++;
    from.pace(from.target().perSecond(IN_ALL));
  }
}
