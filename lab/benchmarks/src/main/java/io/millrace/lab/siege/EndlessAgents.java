package io.millrace.lab.siege;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.netflow.NetflowEncoder;
import io.millrace.wire.sflow.SflowEncoder;
import java.io.IOException;

/**
 * Endless exporters: each datagram has a new sFlow sub-agent or a new NetFlow domain; 300,000 in
 * the phase.
 */
final class EndlessAgents implements Attack {
  private static final int IN_ALL = 300_000;
  private static final int DATAGRAM_BYTES = 256;
  private static final int TEN = 0x0A00_0000; // 10.0.0.0

  private final SflowEncoder sflow = new SflowEncoder(DATAGRAM_BYTES);
  private final NetflowEncoder netflow = new NetflowEncoder(9, DATAGRAM_BYTES);
  private int number;

  @Override
  public void strike(Attacker from) throws IOException {
    number++;
    if (number % 3 == 0) {
      netflow.begin(number, System.currentTimeMillis() * 1_000, 1);
      netflow.finish();
      from.send(netflow.toBytes());
    } else {
      sflow.begin(0, Addresses.v4Low(TEN + (number >>> 3)), number, 1, 1);
      from.send(sflow.toBytes());
    }
    from.pace(from.target().perSecond(IN_ALL));
  }
}
