package io.millrace.lab.siege;

import io.millrace.wire.sflow.SflowEncoder;
import java.io.IOException;
import java.util.SplittableRandom;

/**
 * Agents at IPv6 addresses that are negative as signed numbers of 128 bits, including common ones:
 * unique local and link-local.
 */
final class HostileAddresses implements Attack {
  private static final long[] FIRST = {0x8000L << 48, 0xFD00L << 48, 0xFE80L << 48, 0xFF02L << 48};
  private static final double PER_SECOND = 500;

  private final SflowEncoder sflow = new SflowEncoder(256);
  private int number;

  @Override
  public void strike(Attacker from) throws IOException {
    SplittableRandom random = from.random();
    long high = FIRST[number % FIRST.length] | random.nextLong() >>> 16;
    long low = number % 5 == 0 ? -1 : random.nextLong();
    sflow.begin(high, low, 0, ++number, number);
    sflow.flowSample(number, 0, 1, 1_000, number * 1_000, 0, 1, 0, 2);
    sflow.sampledIpv6(1_500, 6, high, low, high, low ^ 1, number & 0xFFFF, 443, 0x10, 0);
    from.send(sflow.toBytes());
    from.pace(PER_SECOND);
  }
}
