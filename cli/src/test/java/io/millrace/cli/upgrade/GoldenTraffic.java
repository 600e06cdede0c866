package io.millrace.cli.upgrade;

import io.millrace.server.runtime.Millrace;
import io.millrace.testing.Await;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.netflow.ExportTemplate;
import io.millrace.wire.netflow.NetflowEncoder;
import io.millrace.wire.sflow.SflowEncoder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Instant;
import java.util.List;

/**
 * An sFlow agent and an IPFIX exporter. Each round continues the previous one with the same
 * records. Only the first IPFIX message has the template, so later rounds can be decoded only with
 * the state of an earlier run.
 */
final class GoldenTraffic implements AutoCloseable {
  /** Datagrams of each exporter in a round. */
  static final int DATAGRAMS = 40;

  /** Rows of both exporters in a round. */
  static final int ROWS = DATAGRAMS * (5 + 10);

  private static final int SAMPLES = 5;
  private static final int RECORDS = 10;
  private static final int RATE = 256;
  private static final int IPFIX = 10;
  private static final int BURST = 10;

  /**
   * A separate address, so that the port, which identifies the IPFIX exporter, is free in each run.
   */
  private static final String ADDRESS = "127.77.0.1";

  private static final int PORT = 2055;

  private final SflowEncoder sflow = new SflowEncoder(1_400);
  private final NetflowEncoder ipfix = new NetflowEncoder(IPFIX, 1_400);
  private final ExportTemplate template =
      ExportTemplate.of(
          IPFIX,
          300,
          false,
          List.of(
              FlowColumn.SRC_ADDR,
              FlowColumn.DST_ADDR,
              FlowColumn.PROTO,
              FlowColumn.SRC_PORT,
              FlowColumn.PACKETS,
              FlowColumn.BYTES));
  private final DatagramChannel socket = DatagramChannel.open();
  private int sent;

  /**
   * Opens the socket.
   *
   * @param rounds number of rounds that were sent earlier
   */
  GoldenTraffic(int rounds) throws IOException {
    socket.bind(new InetSocketAddress(ADDRESS, PORT));
    while (sent < rounds * DATAGRAMS) {
      next();
    }
  }

  /** Sends a round, and waits until the collector has read it. */
  void send(Millrace millrace) throws IOException {
    InetSocketAddress to =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), millrace.udpPort());
    long expected = millrace.datagrams();
    for (int i = 1; i <= DATAGRAMS; i++) {
      for (byte[] datagram : next()) {
        socket.send(ByteBuffer.wrap(datagram), to);
        expected++;
      }
      if (i % BURST == 0) {
        long all = expected;
        Await.until(all + " datagrams", () -> millrace.datagrams() >= all);
      }
    }
  }

  private List<byte[]> next() {
    int first = sent * SAMPLES;
    sflow.begin(0, Addresses.v4Low(0x0A4D_0001), 0, sent + 1, 10 * sent);
    for (int i = first; i < first + SAMPLES; i++) {
      sflow.flowSample(i, 0, 1, RATE, i, 0, 7, 0, 8);
      sflow.sampledIpv4(
          100 + i % 1_000, 6, 0x0100_0000 + i % 256, 0x0A00_0001 + i % 3, 1_024 + i, 443, 2, 0);
    }
    ipfix.begin(77, Instant.now().getEpochSecond() * 1_000_000, 0);
    boolean fits = sent > 0 || ipfix.template(template);
    if (!fits || !ipfix.data(template, records(sent), 0, RECORDS)) {
      throw new AssertionError("a few records fit");
    }
    int length = ipfix.finish();
    sent++;
    byte[] message = new byte[length];
    System.arraycopy(ipfix.bytes(), 0, message, 0, length);
    return List.of(sflow.toBytes(), message);
  }

  private static FlowBlock records(int number) {
    FlowBlock rows = new FlowBlock(RECORDS);
    for (int row = 0; row < RECORDS; row++) {
      rows.addressLow(FlowColumn.SRC_ADDR)[row] = Addresses.v4Low(0x0808_0808);
      rows.addressLow(FlowColumn.DST_ADDR)[row] = Addresses.v4Low(0x0A00_0101 + row);
      rows.ints(FlowColumn.PROTO)[row] = 17;
      rows.ints(FlowColumn.SRC_PORT)[row] = 53;
      rows.longs(FlowColumn.PACKETS)[row] = 1L + number % 7;
      rows.longs(FlowColumn.BYTES)[row] = 300L + number;
    }
    rows.rows(RECORDS);
    return rows;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
