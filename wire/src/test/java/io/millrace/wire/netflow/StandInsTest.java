package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.bytes;
import static io.millrace.wire.netflow.Messages.decode;
import static io.millrace.wire.netflow.Messages.ipfix;
import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.v9;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.NameKind;
import io.millrace.wire.packet.CaptureFile;
import io.millrace.wire.packet.SharedCaptures;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Elements that can fill a column, and which of several takes precedence. */
class StandInsTest {
  private static final int REVERSE = 29305;
  private static final int CISCO = 9;
  private static final int CERT = 6871;

  private final NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
  private final Messages.Rows rows = new Messages.Rows();

  /** A field of a record: enterprise (0 for IANA), element number, and bytes. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Field(int enterprise, int element, byte[] value) {}

  private static Field iana(int element, int length, long value) {
    return of(0, element, length, value);
  }

  private static Field of(int enterprise, int element, int length, long value) {
    byte[] bytes = new byte[length];
    byte[] number = BigInteger.valueOf(value).toByteArray();
    for (int i = 1; i <= length; i++) {
      bytes[length - i] = i <= number.length ? number[number.length - i] : 0;
    }
    return new Field(enterprise, element, bytes);
  }

  private static Field ip(int enterprise, int element, int last) {
    return new Field(enterprise, element, bytes(10, 0, 0, last));
  }

  private void record(Field... fields) {
    ByteBuffer template = ByteBuffer.allocate(500);
    ByteBuffer record = ByteBuffer.allocate(500);
    template.putShort((short) 256).putShort((short) fields.length);
    for (Field field : fields) {
      boolean isOurs = field.enterprise == 0;
      template.putShort((short) (isOurs ? field.element : field.element | 0x8000));
      template.putShort((short) field.value.length);
      if (!isOurs) {
        template.putInt(field.enterprise);
      }
      record.put(field.value);
    }
    rows.block.clear();
    decode(
        decoder,
        ipfix(0, set(2, all(template)), set(256, all(record))),
        1_700_000_000_000_000L,
        rows);
  }

  private static byte[] all(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.flip().remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private String text(FlowColumn column) {
    return text(column, 0);
  }

  private String text(FlowColumn column, int row) {
    return NetflowRows.text(rows.block, column, row);
  }

  private String ends(int row) {
    return String.join(
        " ",
        text(FlowColumn.SRC_ADDR, row),
        text(FlowColumn.SRC_PORT, row),
        text(FlowColumn.DST_ADDR, row),
        text(FlowColumn.DST_PORT, row),
        text(FlowColumn.BYTES, row),
        text(FlowColumn.PACKETS, row));
  }

  private void capture(String name) throws IOException {
    for (CaptureFile.Frame frame : CaptureFile.read(SharedCaptures.file("wild", name))) {
      decode(decoder, frame.udpPayload(), frame.number(), rows);
    }
    assertThat(rows.notes.rejects).isEmpty();
  }

  @Test
  void clientAndServerOfCiscoAvcAreARowEachWay() throws IOException {
    capture("03-cisco-avc-client-server-v9.pcap");
    assertThat(rows.block.rows()).isEqualTo(2);
    assertThat(ends(0)).isEqualTo("198.51.100.10 - 203.0.113.20 443 4200 30");
    assertThat(ends(1)).isEqualTo("203.0.113.20 443 198.51.100.10 - 98000 80");
  }

  @Test
  void clientsCountersBelongToTheClient() {
    Field[] fields = {
      ip(CISCO, 12236, 1), ip(CISCO, 12237, 2), of(CISCO, 12240, 2, 1024), of(CISCO, 12241, 2, 80),
      iana(4, 1, 6), of(CISCO, 8338, 4, 100), of(CISCO, 8337, 4, 900), iana(298, 4, 3),
      iana(299, 4, 5)
    };
    record(fields);
    assertThat(ends(0)).isEqualTo("10.0.0.1 1024 10.0.0.2 80 100 3");
    assertThat(ends(1)).isEqualTo("10.0.0.2 80 10.0.0.1 1024 900 5");
    // What was observed at the interface is the other direction here; rows have the sum of both.
    record(
        ip(0, 8, 2),
        ip(0, 12, 1),
        iana(7, 2, 80),
        iana(11, 2, 1024),
        iana(1, 8, 1000),
        fields[0],
        fields[1],
        fields[2],
        fields[3],
        fields[4],
        iana(231, 8, 0),
        iana(232, 8, 900));
    assertThat(ends(0)).isEqualTo("10.0.0.1 1024 10.0.0.2 80 0 -");
    assertThat(ends(1)).isEqualTo("10.0.0.2 80 10.0.0.1 1024 900 -");
  }

  @Test
  void clientsOfVersion6AreReadToo() {
    byte[] one = bytes(0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    byte[] two = one.clone();
    two[15] = 2;
    record(
        new Field(CISCO, 12238, one),
        new Field(CISCO, 12239, two),
        iana(231, 8, 7),
        iana(232, 8, 9));
    assertThat(ends(0)).isEqualTo("2001:db8::1 - 2001:db8::2 - 7 -");
    assertThat(ends(1)).isEqualTo("2001:db8::2 - 2001:db8::1 - 9 -");
  }

  @Test
  void aStationIsTheEndThatItsDirectionSays() {
    record(ip(0, 366, 5), iana(365, 6, 77), iana(61, 1, 0), iana(1, 4, 9));
    assertThat(ends(0)).isEqualTo("10.0.0.5 - - - 9 -");
    assertThat(text(FlowColumn.SRC_MAC)).isEqualTo("77");
    assertThat(text(FlowColumn.ETHER_TYPE)).isEqualTo("2048");
    record(ip(0, 366, 5), iana(365, 6, 77), iana(61, 1, 1), iana(1, 4, 9));
    assertThat(ends(0)).isEqualTo("- - 10.0.0.5 - 9 -");
    assertThat(text(FlowColumn.DST_MAC)).isEqualTo("77");
    record(ip(0, 366, 5), ip(0, 8, 1), ip(0, 12, 2), iana(61, 1, 1), iana(1, 4, 9));
    assertThat(ends(0)).isEqualTo("10.0.0.1 - 10.0.0.2 - 9 -");
  }

  @Test
  void flagsOfYafAreOredInBothDirections() {
    record(
        ip(0, 8, 1),
        ip(0, 12, 2),
        iana(4, 1, 6),
        iana(2, 4, 5),
        of(REVERSE, 2, 4, 3),
        of(CERT, 14, 1, 2),
        of(CERT, 15, 1, 0x18),
        of(CERT, 0x400E, 1, 0x12),
        of(CERT, 0x400F, 1, 1));
    assertThat(text(FlowColumn.TCP_FLAGS, 0)).isEqualTo(Integer.toString(0x1A));
    assertThat(text(FlowColumn.TCP_FLAGS, 1)).isEqualTo(Integer.toString(0x13));
  }

  @Test
  void softflowdsIcmpIsIcmp() throws IOException {
    capture("06-softflowd-icmp-without-protocol.pcap");
    assertThat(rows.block.rows()).isEqualTo(3);
    assertThat(List.of(text(FlowColumn.PROTO, 0), ends(0)))
        .containsExactly("1", "198.51.100.10 8 203.0.113.20 0 1008 12");
    assertThat(List.of(text(FlowColumn.PROTO, 1), ends(1)))
        .containsExactly("1", "198.51.100.10 3 203.0.113.20 1 1008 12");
    assertThat(List.of(text(FlowColumn.PROTO, 2), ends(2)))
        .containsExactly("58", "2001:db8:1::10 128 2001:db8:2::20 0 1008 12");
  }

  @Test
  void elementsOfOneProtocolImplyIt() {
    record(ip(0, 8, 1), iana(176, 1, 0), iana(177, 1, 0)); // an echo reply
    assertThat(text(FlowColumn.PROTO)).isEqualTo("1");
    record(ip(0, 8, 1), iana(139, 2, 0x8000), iana(32, 2, 0)); // by the family of the address
    assertThat(text(FlowColumn.PROTO)).isEqualTo("1");
    record(new Field(0, 27, new byte[16]), iana(178, 1, 128), iana(179, 1, 0));
    assertThat(text(FlowColumn.PROTO)).isEqualTo("58");
    record(ip(0, 8, 1), iana(182, 2, 1024), iana(183, 2, 80), iana(180, 2, 0), iana(32, 2, 0));
    assertThat(text(FlowColumn.PROTO)).isEqualTo("6");
    assertThat(text(FlowColumn.DST_PORT)).isEqualTo("80");
    record(ip(0, 8, 1), iana(182, 2, 0), iana(180, 2, 53), iana(32, 2, 0));
    assertThat(text(FlowColumn.PROTO)).isEqualTo("17");
    record(ip(0, 8, 1), iana(7, 2, 0), iana(11, 2, 0), iana(32, 2, 0x0800));
    assertThat(text(FlowColumn.PROTO)).isEqualTo("1");
    record(ip(0, 8, 1), iana(7, 2, 9), iana(11, 2, 80), iana(32, 2, 0));
    assertThat(text(FlowColumn.PROTO)).isEqualTo("-");
    record(ip(0, 8, 1), iana(4, 1, 47), iana(32, 2, 0x0800)); // a sent value is kept
    assertThat(text(FlowColumn.PROTO)).isEqualTo("47");
  }

  @Test
  void dscpAndPrecedenceAreATypeOfService() throws IOException {
    capture("26-sdwan-dscp.pcap");
    assertThat(text(FlowColumn.TOS)).isEqualTo("184");
    record(ip(0, 8, 1), iana(5, 1, 185), iana(195, 1, 46));
    assertThat(text(FlowColumn.TOS)).isEqualTo("185");
    record(ip(0, 8, 1), iana(195, 1, 46), iana(5, 1, 0), iana(55, 1, 9));
    assertThat(text(FlowColumn.TOS)).isEqualTo("184");
    record(ip(0, 8, 1), iana(98, 1, 10), iana(196, 1, 0));
    assertThat(text(FlowColumn.TOS)).isEqualTo("40");
    record(ip(0, 8, 1), iana(196, 1, 5));
    assertThat(text(FlowColumn.TOS)).isEqualTo("160");
    record(ip(0, 8, 1), iana(195, 1, 99)); // a DSCP has at most 6 bits
    assertThat(text(FlowColumn.TOS)).isEqualTo("-");
  }

  @Test
  void applicationIdsOfAnyLengthAreNumbers() throws IOException {
    List<String> names = new ArrayList<>();
    Counting notes =
        new Counting() {
          @Override
          public void name(NameKind kind, long number, String name, String description) {
            names.add(kind.word() + " " + number + " " + name);
          }
        };
    String capture = "38-fortigate-application-id-9.pcap";
    for (CaptureFile.Frame frame : CaptureFile.read(SharedCaptures.file("wild", capture))) {
      byte[] payload = frame.udpPayload();
      decoder.decode(payload, 0, payload.length, 1, 0, 1, 9999, rows.block, notes);
    }
    long id = (20L << 56) | (12356L << 32) | 15893;
    assertThat(text(FlowColumn.APP_ID)).isEqualTo(Long.toString(id));
    assertThat(names).containsExactly("application " + id + " HTTPS.BROWSER");
  }

  @Test
  void applicationIdsHaveOneNumberWhateverTheirLength() {
    assertThat(application(3, 0, 0, 80)).isEqualTo((3L << 24) | 80);
    assertThat(application(3, 0, 80)).isEqualTo((3L << 24) | 80);
    assertThat(application(1, 6)).isEqualTo((1L << 24) | 6);
    assertThat(application(13, 0, 0, 0, 1)).isEqualTo((13L << 24) | 1);
    assertThat(application(13, 1, 0, 0, 1)).isEqualTo((13L << 56) | (1L << 24) | 1);
    assertThat(application(20, 0, 0, 0x30, 0x44, 0, 9)).isEqualTo((20L << 56) | (12356L << 32) | 9);
    assertThat(application(20, 1, 0, 0, 0, 0, 0, 0, 1)).isEqualTo(-1); // no enterprise
    assertThat(ApplicationId.of(new byte[10], 0, 10)).isEqualTo(-1);
    assertThat(ApplicationId.of(new byte[10], 0, 0)).isEqualTo(-1);
  }

  private static long application(int... id) {
    return ApplicationId.of(bytes(id), 0, id.length);
  }

  @Test
  void nexusSendsUptimesOfEightBytes() throws IOException {
    capture("05-nxos-8-byte-switched.pcap");
    assertThat(text(FlowColumn.FLOW_START)).isEqualTo("1767225590000000");
  }

  /** For each field, a usable value takes precedence, whatever the order in the template. */
  @Test
  void aUsableValueTakesPrecedenceOverAnUnusableOne() {
    Field address = ip(0, 12, 9);
    List<List<Object>> cases =
        List.of(
            List.of(FlowColumn.BYTES, iana(1, 8, 0), iana(23, 8, 7), "7"),
            List.of(FlowColumn.BYTES, iana(1, 8, 5), iana(23, 8, 7), "5"),
            List.of(FlowColumn.BYTES, iana(1, 8, Long.MAX_VALUE), iana(352, 8, 7), "7"),
            List.of(FlowColumn.BYTES, iana(1, 8, 0), iana(85, 8, 7), "0"), // since the flow began
            List.of(FlowColumn.BYTES, iana(85, 8, 7), iana(171, 8, 9), "7"),
            List.of(FlowColumn.PACKETS, iana(2, 4, 0), iana(24, 4, 3), "3"),
            List.of(FlowColumn.SRC_ADDR, ip(0, 44, 1), ip(0, 8, 2), "10.0.0.2"),
            List.of(FlowColumn.SRC_ADDR, ip(0, 44, 1), iana(8, 4, 0), "10.0.0.1"),
            List.of(FlowColumn.SRC_PORT, iana(7, 2, 0), of(6876, 886, 2, 53), "53"),
            List.of(FlowColumn.SRC_VLAN, iana(58, 2, 0), iana(243, 2, 203), "203"),
            List.of(FlowColumn.SRC_VLAN, iana(58, 2, 4095), iana(243, 2, 203), "203"),
            List.of(FlowColumn.SRC_VLAN, iana(58, 2, 0), iana(245, 2, 12), "12"),
            List.of(FlowColumn.DST_VLAN, iana(59, 2, 0), iana(254, 2, 204), "204"),
            List.of(FlowColumn.IN_IF, iana(10, 4, 0), iana(252, 4, 6), "6"),
            List.of(FlowColumn.OUT_IF, iana(14, 4, 0xFFFF_FFFFL), iana(253, 4, 6), "6"),
            List.of(FlowColumn.EXPORTER_SRC_AS, iana(16, 4, 0), iana(129, 4, 64500), "64500"),
            List.of(FlowColumn.EXPORTER_DST_AS, iana(17, 4, 64501), iana(128, 4, 64500), "64501"),
            List.of(FlowColumn.NEXT_HOP, iana(15, 4, 0), ip(0, 18, 3), "10.0.0.3"),
            List.of(FlowColumn.NEXT_HOP, ip(0, 15, 2), ip(0, 18, 3), "10.0.0.2"),
            List.of(FlowColumn.SRC_MAC, iana(56, 6, 0), iana(81, 6, 77), "77"),
            List.of(FlowColumn.DST_MAC, iana(80, 6, 0), iana(57, 6, 78), "78"),
            List.of(FlowColumn.PROTO, iana(4, 1, 0), iana(193, 1, 17), "17"),
            List.of(FlowColumn.ETHER_TYPE, iana(256, 2, 0), iana(60, 1, 4), "2048"),
            List.of(FlowColumn.NAT_SRC_ADDR, iana(225, 4, 0), ip(10704, 8, 4), "10.0.0.4"),
            List.of(FlowColumn.NAT_SRC_PORT, iana(227, 2, 0), of(CISCO, 7235, 2, 5), "5"),
            List.of(FlowColumn.IN_VRF, iana(234, 4, 0), of(41916, 4321, 8, 5), "5"),
            List.of(
                FlowColumn.FLOW_START,
                iana(150, 4, 0),
                iana(152, 8, Messages.UNIX * 1000L),
                Messages.UNIX + "000000"),
            List.of(
                FlowColumn.FLOW_START,
                iana(152, 8, 0),
                iana(150, 4, Messages.UNIX),
                Messages.UNIX + "000000"),
            List.of(
                FlowColumn.FLOW_START,
                iana(322, 4, 0),
                iana(359, 8, Messages.UNIX * 1000L),
                Messages.UNIX + "000000"));
    for (List<Object> each : cases) {
      FlowColumn column = (FlowColumn) each.get(0);
      Field one = (Field) each.get(1);
      Field other = (Field) each.get(2);
      record(address, one, other);
      assertThat(text(column)).as("%s, %s", column, each).isEqualTo(each.get(3));
      record(address, other, one);
      assertThat(text(column)).as("%s, %s turned round", column, each).isEqualTo(each.get(3));
    }
  }

  @Test
  void aDirectionThatIsNeitherIsUnknown() {
    record(ip(0, 8, 1), iana(61, 1, 255));
    assertThat(text(FlowColumn.DIRECTION)).isEqualTo("-");
    record(ip(0, 8, 1), iana(61, 1, 1));
    assertThat(text(FlowColumn.DIRECTION)).isEqualTo("1");
  }

  @Test
  void aDurationMakesTheOtherEnd() {
    long start = Messages.UNIX - 60L;
    record(ip(0, 8, 1), iana(150, 4, start), iana(161, 4, 2500));
    assertThat(text(FlowColumn.FLOW_END)).isEqualTo(Long.toString(start * 1_000_000 + 2_500_000));
    record(ip(0, 8, 1), iana(151, 4, start), iana(162, 4, 2500));
    assertThat(text(FlowColumn.FLOW_START)).isEqualTo(Long.toString(start * 1_000_000 - 2_500));
    record(ip(0, 8, 1), iana(150, 4, start), iana(151, 4, start), iana(161, 4, 2500));
    assertThat(text(FlowColumn.FLOW_END)).isEqualTo(Long.toString(start * 1_000_000));
    record(ip(0, 8, 1), iana(161, 4, 2500));
    assertThat(text(FlowColumn.FLOW_START)).isEqualTo("-");
  }

  @Test
  void anUnreadablePieceOfAPacketCostsThatPieceOnly() {
    record(ip(0, 8, 1), ip(0, 12, 2), iana(1, 4, 99), new Field(0, 315, new byte[30]));
    assertThat(ends(0)).isEqualTo("10.0.0.1 - 10.0.0.2 - 99 -");
    assertThat(rows.notes.rejects).isEmpty();
  }

  /** Version 9 has no enterprise numbers; Cisco's elements have the enterprise bit of IPFIX. */
  @Test
  void ciscosElementsInVersion9() {
    byte[] template = Messages.shorts(256, 5, 45004, 4, 45005, 4, 40001, 4, 40003, 2, 1, 4);
    byte[] record = bytes(10, 0, 0, 1, 10, 0, 0, 2, 192, 0, 2, 1, 4, 0, 0, 0, 0, 9);
    decode(decoder, v9(set(0, template), set(256, record)), 1, rows);
    assertThat(ends(0)).isEqualTo("10.0.0.1 - 10.0.0.2 - 9 -");
    assertThat(text(FlowColumn.NAT_SRC_ADDR)).isEqualTo("192.0.2.1");
    assertThat(text(FlowColumn.NAT_SRC_PORT)).isEqualTo("1024");
  }
}
