package io.millrace.server.runtime;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.pcap.CaptureWriter;
import io.millrace.wire.sflow.SflowEncoder;
import io.millrace.wire.sflow.SflowLayout;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Writes a generated capture with expected rows, for machines without the shared captures:
 * exporters of both address families, each kind of sampled packet, and datagrams so long that they
 * are fragmented. Expected rows are derived from the values put into the packets, and not from our
 * decoder.
 */
final class OwnCapture {
  private static final int DATAGRAMS = 60;
  private static final int SAMPLES = 12;
  private static final long TIME = 1_700_000_000_000_000L;
  private static final long V6_NET = 0x2001_0DB8_0000_0000L;
  private static final int COLLECTOR = 0xC0000264; // 192.0.2.100
  private static final String HEADER =
      "src_ip\tdst_ip\tip_proto\tsrc_port\tdst_port\ticmp\tip_len\tsampling_rate\tinput_if\toutput_if";

  private final Random random = new Random(11);
  private final SflowEncoder sflow = new SflowEncoder(1_500);
  private final List<String> rows = new ArrayList<>(List.of(HEADER));

  private OwnCapture() {}

  static OracleCapture write(Path directory) throws IOException {
    Path file = directory.resolve("own.pcap");
    OwnCapture capture = new OwnCapture();
    try (OutputStream out = Files.newOutputStream(file)) {
      CaptureWriter writer = new CaptureWriter(out, CaptureWriter.ETHERNET_MTU);
      for (int i = 0; i < DATAGRAMS; i++) {
        capture.datagram(writer, i);
      }
    }
    Files.write(directory.resolve("own.oracle.tsv"), capture.rows);
    return new OracleCapture(file);
  }

  private void datagram(CaptureWriter writer, int i) throws IOException {
    int exporter = i % 3 + 1;
    boolean v6 = exporter == 3;
    long high = v6 ? V6_NET : 0;
    long low = v6 ? exporter : Addresses.v4Low(0xC0000200 + exporter);
    sflow.begin(high, low, 0, i / 3 + 1, 1_000 * i);
    for (int s = 0; s < SAMPLES; s++) {
      sample(i * SAMPLES + s);
    }
    writer.datagram(
        TIME + i * 1_000L,
        high,
        low,
        50_000 + exporter,
        high,
        v6 ? 100 : Addresses.v4Low(COLLECTOR),
        6_343,
        sflow.bytes(),
        0,
        sflow.length());
  }

  private void sample(int sequence) {
    int rate = 1 << random.nextInt(1, 15);
    int in = random.nextInt(1, 1_000);
    int out = random.nextInt(1, 1_000);
    if (sequence % 2 == 0) {
      sflow.flowSample(sequence, 0, in, rate, sequence, 0, in, 0, out);
    } else {
      sflow.expandedFlowSample(sequence, 0, in, rate, sequence, 0, in, 0, out);
    }
    boolean v6 = random.nextInt(3) == 0;
    int length = random.nextInt(60, 1_500);
    int src = random.nextInt();
    int dst = random.nextInt();
    int srcPort = random.nextInt(1, 65_536);
    int dstPort = random.nextInt(1, 65_536);
    int protocol = new int[] {6, 17, v6 ? 58 : 1}[random.nextInt(3)];
    boolean icmp = protocol != 6 && protocol != 17;
    if (icmp || random.nextBoolean()) {
      byte[] header = frame(v6, length, protocol, src, dst, srcPort, dstPort);
      int frameLength = 14 + length + 4;
      sflow.rawHeader(SflowLayout.PROTOCOL_ETHERNET, frameLength, 4, header, 0, header.length);
    } else if (v6) {
      sflow.sampledIpv6(length, protocol, V6_NET, src, V6_NET, dst, srcPort, dstPort, 0, 0);
    } else {
      sflow.sampledIpv4(length, protocol, src, dst, srcPort, dstPort, 0, 0);
    }
    rows.add(
        String.join(
            "\t",
            address(v6, src),
            address(v6, dst),
            Integer.toString(protocol),
            icmp ? "" : Integer.toString(srcPort),
            icmp ? "" : Integer.toString(dstPort),
            icmp ? (srcPort >>> 8) + "/" + (srcPort & 255) : "",
            Integer.toString(length),
            Integer.toString(rate),
            Integer.toString(in),
            Integer.toString(out)));
  }

  /** Ethernet, IP and the first bytes of the payload; every second frame is tagged. */
  private byte[] frame(
      boolean v6, int length, int protocol, int src, int dst, int srcPort, int dstPort) {
    ByteBuffer b = ByteBuffer.allocate(128).position(12);
    if (random.nextBoolean()) {
      b.putShort((short) 0x8100).putShort((short) random.nextInt());
    }
    if (v6) {
      b.putShort((short) 0x86DD).putInt(6 << 28).putShort((short) (length - 40));
      b.put((byte) protocol).put((byte) 64);
      b.putLong(V6_NET).putLong(src).putLong(V6_NET).putLong(dst);
    } else {
      b.putShort((short) 0x0800).putShort((short) 0x4500).putShort((short) length).putInt(0);
      b.put((byte) 64).put((byte) protocol).putShort((short) 0).putInt(src).putInt(dst);
    }
    b.putShort((short) srcPort).putShort((short) dstPort);
    return b.array();
  }

  private static String address(boolean v6, int low) {
    return v6 ? Addresses.toText(V6_NET, low) : Addresses.toText(0, Addresses.v4Low(low));
  }
}
