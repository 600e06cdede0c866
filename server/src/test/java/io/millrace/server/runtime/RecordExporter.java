package io.millrace.server.runtime;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.netflow.ExportTemplate;
import io.millrace.wire.netflow.Netflow5Encoder;
import io.millrace.wire.netflow.NetflowEncoder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Instant;
import java.util.List;

/**
 * A NetFlow or IPFIX exporter with our encoders, with a few records per datagram, which can skip a
 * datagram.
 */
final class RecordExporter implements AutoCloseable {
  static final int RECORDS = 5;

  private static final List<FlowColumn> COLUMNS =
      List.of(
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.PROTO,
          FlowColumn.SRC_PORT,
          FlowColumn.PACKETS,
          FlowColumn.BYTES);

  private final DatagramChannel socket = DatagramChannel.open();
  private final int version;
  private final int domain;
  private final NetflowEncoder encoder;
  private final ExportTemplate template;
  private final Netflow5Encoder five = new Netflow5Encoder();
  private final FlowBlock rows = new FlowBlock(RECORDS);
  private int datagrams;
  private int records;

  /** Creates an exporter of version 5, 9 or 10 with an engine, source id or domain. */
  RecordExporter(int version, int domain) throws IOException {
    this.version = version;
    this.domain = domain;
    int withTemplates = Math.max(version, 9);
    encoder = new NetflowEncoder(withTemplates, 1_400);
    template = ExportTemplate.of(withTemplates, 300, false, COLUMNS);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    for (int row = 0; row < RECORDS; row++) {
      rows.addressLow(FlowColumn.SRC_ADDR)[row] = Addresses.v4Low(0x08080808);
      rows.addressLow(FlowColumn.DST_ADDR)[row] = Addresses.v4Low(0x0A000001 + row);
      rows.addressLow(FlowColumn.NEXT_HOP)[row] = Addresses.v4Low(0x0A000001);
      rows.ints(FlowColumn.PROTO)[row] = 17;
      rows.ints(FlowColumn.SRC_PORT)[row] = 53;
      rows.longs(FlowColumn.PACKETS)[row] = 2;
      rows.longs(FlowColumn.BYTES)[row] = 300;
    }
    rows.rows(RECORDS);
  }

  void send(InetSocketAddress to) throws IOException {
    socket.send(next(), to);
  }

  /** Counts a datagram as sent without sending it. */
  void lose() {
    next();
  }

  private ByteBuffer next() {
    long now = Instant.now().getEpochSecond() * 1_000_000;
    int uptimeMillis = 3_600_000 + datagrams;
    ByteBuffer datagram;
    if (version == 5) {
      int length = five.encode(domain, records, now, uptimeMillis, 0, rows, 0, RECORDS);
      datagram = ByteBuffer.wrap(five.bytes(), 0, length);
    } else {
      encoder.begin(domain, now, uptimeMillis);
      boolean fits = datagrams > 0 || encoder.template(template);
      if (!fits || !encoder.data(template, rows, 0, RECORDS)) {
        throw new AssertionError("a few records fit");
      }
      int length = encoder.finish();
      datagram = ByteBuffer.wrap(encoder.bytes(), 0, length);
    }
    datagrams++;
    records += RECORDS;
    return datagram;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
