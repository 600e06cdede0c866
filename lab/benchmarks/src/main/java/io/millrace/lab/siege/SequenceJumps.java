package io.millrace.lab.siege;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.netflow.NetflowLayout;
import io.millrace.wire.sflow.SflowEncoder;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Sequence numbers that jump by more than half of their range, clocks that go back, and two agents
 * with equal ids at one address, of sFlow and IPFIX: billions of losses, if they were trusted.
 */
final class SequenceJumps implements Attack {
  private static final int AGENT = 0x0A01_0101; // 10.1.1.1
  private static final int ELSEWHERE = 0xB000_0000; // offset of the other agent's numbers
  private static final int FAR = 900_000; // offset of the other exporter's records
  private static final double PER_SECOND = 300;

  private final SflowEncoder sflow = new SflowEncoder(256);
  private int number;

  @Override
  public void strike(Attacker from) throws IOException {
    number++;
    int sequence =
        switch (number % 4) {
          case 0 -> from.random().nextInt();
          case 1 -> number + Integer.MIN_VALUE;
          default -> number % 2 == 0 ? number : number + ELSEWHERE;
        };
    int uptime = number % 7 == 0 ? Integer.MIN_VALUE + number : number * 3;
    sflow.begin(0, Addresses.v4Low(AGENT), number % 4 / 2, sequence, uptime);
    from.send(sflow.toBytes());
    from.send(ipfix(number % 2 == 0 ? number : number + FAR));
    from.pace(PER_SECOND);
  }

  /** A message without records. */
  private static byte[] ipfix(int sequence) {
    int seconds = (int) (System.currentTimeMillis() / 1_000);
    return ByteBuffer.allocate(NetflowLayout.IPFIX_HEADER_LENGTH)
        .putShort((short) NetflowLayout.VERSION_IPFIX)
        .putShort((short) NetflowLayout.IPFIX_HEADER_LENGTH)
        .putInt(seconds)
        .putInt(sequence)
        .putInt(0)
        .array();
  }
}
