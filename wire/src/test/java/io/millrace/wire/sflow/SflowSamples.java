package io.millrace.wire.sflow;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;

/** Sampled headers for tests. */
final class SflowSamples {
  private static final int[] NONE = {};

  private SflowSamples() {}

  /** 128 bytes of a frame: IPv4 or (1 in 4) IPv6, TCP or (1 in 4) UDP; 1 in 8 is tagged. */
  static byte[] header(Random random) {
    byte[] bytes = new byte[128];
    random.nextBytes(bytes);
    ByteBuffer b = ByteBuffer.wrap(bytes);
    int at = 12;
    if (random.nextInt(8) == 0) {
      b.putShort(at, (short) 0x8100);
      at += 4;
    }
    byte protocol = (byte) (random.nextInt(4) == 0 ? 17 : 6);
    if (random.nextInt(4) == 0) {
      b.putShort(at, (short) 0x86DD);
      b.put(at + 2, (byte) 0x60);
      b.putShort(at + 6, (short) 1460);
      b.put(at + 8, protocol);
    } else {
      b.putShort(at, (short) 0x0800);
      b.put(at + 2, (byte) 0x45);
      b.putShort(at + 4, (short) 1500);
      b.putShort(at + 8, (short) 0x4000);
      b.put(at + 11, protocol);
    }
    return bytes;
  }

  /** A datagram with each kind of sample and each kind of record that the encoder writes. */
  static SflowEncoder everything() {
    Random random = new Random(7);
    SflowEncoder e = new SflowEncoder(1500);
    e.begin(0x2001_0DB8_0000_0000L, 1, 3, 4, 5_000);
    e.flowSample(1, 0, 7, 1000, 1_000_000, 2, 11, 0, 12);
    e.extendedSwitch(100, 1, 200, 2);
    e.rawHeader(SflowLayout.PROTOCOL_ETHERNET, 1518, 4, header(random), 0, 128);
    RareRecords.extendedGateway(
        e,
        0,
        Addresses.v4Low(0xC0000201),
        64500,
        64501,
        64502,
        new int[] {64503, 64504},
        NONE,
        100);
    RareRecords.extendedRouter(e, 0, Addresses.v4Low(0xC0000202), 24, 16);
    e.record(SflowLayout.format(4413, 1), new byte[] {1, 2, 3}, 0, 3);
    e.expandedFlowSample(2, 1, 0x0100_0000, 2000, 2_000_000, 0, 0x4000_0001, 1, 258);
    RareRecords.sampledEthernet(e, 64, 0x0200_0000_0001L, 0x0200_0000_0002L, 0x86DD);
    e.sampledIpv6(1280, 17, 1L << 61, 2, 1L << 61, 3, 53, 5353, 0, 0x20);
    RareRecords.extendedRouter(e, 1L << 61, 9, 48, 32);
    e.flowSample(3, 0, 7, 1000, 1_001_000, 2, 12, 2, 3);
    e.sampledIpv4(40, 6, 0x0A000001, 0x0A000002, 443, 50_000, 0x12, 0x28);
    RareRecords.extendedGateway(
        e, Addresses.NULL, Addresses.NULL, 64500, 0, 0, NONE, new int[] {1, 2, 3}, 100);
    e.counterSample(9, 0, 7);
    e.record(1001, new byte[28], 0, 28);
    e.interfaceCounters(counters(), 0);
    e.expandedCounterSample(10, 2, 0x0200_0000);
    e.interfaceCounters(counters(), 0);
    e.sample(6, new byte[40], 0, 40);
    e.flowSample(4, 0, 7, 1000, 1_002_000, 2, 12, 0, 11);
    byte[] arp = new byte[42];
    arp[12] = 8;
    arp[13] = 6;
    e.rawHeader(SflowLayout.PROTOCOL_ETHERNET, 64, 4, arp, 0, 42);
    e.flowSample(5, 0, 7, 1000, 1_003_000, 2, 12, 0, 11);
    e.extendedSwitch(1, 0, 2, 0);
    return e;
  }

  /** A row of interface counters with different numbers. */
  static CounterBlock counters() {
    CounterBlock block = new CounterBlock(1);
    for (CounterColumn column : CounterColumn.ALL) {
      if (block.ints(column) != null) {
        block.ints(column)[0] = 1000 + column.ordinal();
      } else if (block.longs(column) != null) {
        block.longs(column)[0] = 10_000_000_000L + column.ordinal();
      }
    }
    block.rows(1);
    return block;
  }

  /** A datagram with rarely sent records, and frames in all encapsulations. */
  static SflowEncoder rare() {
    SflowEncoder e = new SflowEncoder(1500);
    e.begin(0, Addresses.v4Low(0x0A000009), 1, 2, 3);
    String ip = "4500001c000000004011" + "0000" + "0a0000010a000002" + "0035003600080000";
    String macs = "020000000001" + "020000000002";
    String[] frames = {
      "1 " + macs + "88e7" + "00002710" + macs + "81000000" + "810000cb" + "0800" + ip,
      "1 " + macs + "22f3" + "0045" + "00010002" + "00000000" + macs + "0800" + ip,
      "1 " + macs + "894f" + "0fc20203" + "00000901" + macs + "0800" + ip,
      "1 " + macs + "81000064" + "0806" + "0001080006040001",
      "7 " + "ff03" + "0281" + "00065140" + ip,
      "13 " + "00064040" + "00065140" + ip,
      "14 " + "0f000800" + ip,
      "9 " + "aaaa030000000800" + ip,
      "10 " + ip
    };
    for (String frame : frames) {
      String[] parts = frame.split(" ", 2);
      byte[] header = HexFormat.of().parseHex(parts[1]);
      e.flowSample(1, 0, 7, 1000, 1_000_000, 2, 7, 0, 8);
      e.rawHeader(Integer.parseInt(parts[0]), header.length + 4, 4, header, 0, header.length);
    }
    RareRecords.of(e, SflowLayout.EXTENDED_NAT, 1, 0xC0000263, 1, 0xCB007114);
    RareRecords.of(e, SflowLayout.EXTENDED_NAT_PORT, 41_000, 443);
    RareRecords.of(e, SflowLayout.EXTENDED_MPLS, 1, 0x0A000003, 2, 100 << 12, 0x65140, 0);
    RareRecords.of(e, SflowLayout.EXTENDED_VLAN_TUNNEL, 2, 0x88A80064, 0x810000C8);
    RareRecords.of(e, SflowLayout.IPV4_TUNNEL_INGRESS, 100, 17, 1, 2, 5, 4789, 0, 0);
    RareRecords.of(e, SflowLayout.VNI_INGRESS, 4_242);
    RareRecords.extendedRouter(e, 0, Addresses.v4Low(0xC0000202), 24, 16);
    e.discardedPacket(1, 7, 3, 7, 0, 258);
    byte[] header = header(new Random(1));
    e.rawHeader(SflowLayout.PROTOCOL_ETHERNET, 1518, 4, header, 0, header.length);
    RareRecords.text(e, SflowLayout.HARDWARE_TRAP, "acl_drops", "ingress_flow_action_drop");
    RareRecords.text(e, SflowLayout.EXTENDED_FUNCTION, "ip_rcv");
    RareRecords.text(e, SflowLayout.LINUX_REASON, "SKB_DROP");
    return e;
  }
}
