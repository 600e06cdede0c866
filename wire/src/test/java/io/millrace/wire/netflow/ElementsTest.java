package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.bytes;
import static io.millrace.wire.netflow.Messages.decode;
import static io.millrace.wire.netflow.Messages.ipfix;
import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.shorts;
import static io.millrace.wire.netflow.Messages.v9;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How single information elements are decoded. */
class ElementsTest {
  /** IPv4, UDP, 10.0.0.1:53 to 10.0.0.2:1024, 28 bytes long. */
  private static final byte[] PACKET =
      bytes(
          0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 53, 4, 0, 0, 8, 0,
          0);

  private final NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
  private final Messages.Rows rows = new Messages.Rows();

  private void one(int[] fields, byte[] record) {
    int[] template = new int[2 + fields.length];
    template[0] = 256;
    template[1] = fields.length / 2;
    System.arraycopy(fields, 0, template, 2, fields.length);
    decode(decoder, ipfix(0, set(2, shorts(template)), set(256, record)), 1, rows);
  }

  private static int[] fields(int... elementsAndLengths) {
    return elementsAndLengths;
  }

  private String text(FlowColumn column, int row) {
    return NetflowRows.text(rows.block, column, row);
  }

  private List<String> texts(int row, FlowColumn... columns) {
    return Arrays.stream(columns).map(column -> text(column, row)).toList();
  }

  private static int[] both(int[] some, int[] more) {
    int[] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }

  private static byte[] frame() {
    byte[] frame = new byte[14 + PACKET.length];
    frame[5] = 1;
    frame[11] = 2;
    frame[12] = 8;
    System.arraycopy(PACKET, 0, frame, 14, PACKET.length);
    return frame;
  }

  private static byte[] join(byte[]... parts) {
    ByteBuffer b = ByteBuffer.allocate(500);
    for (byte[] part : parts) {
      b.put(part);
    }
    byte[] all = new byte[b.position()];
    b.flip().get(all);
    return all;
  }

  private static byte[] ipv6(int last) {
    return bytes(0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last);
  }

  @Test
  void numbersOfReducedSizeAreTheSameNumbers() {
    int[] sizes = fields(8, 4, 1, 3, 2, 1, 10, 1, 14, 2, 16, 3, 7, 1);
    one(sizes, bytes(10, 0, 0, 1, 1, 0, 0, 9, 200, 1, 2, 1, 0, 1, 80));
    assertThat(text(FlowColumn.BYTES, 0)).isEqualTo("65536");
    assertThat(text(FlowColumn.PACKETS, 0)).isEqualTo("9");
    assertThat(text(FlowColumn.IN_IF, 0)).isEqualTo("200");
    assertThat(text(FlowColumn.OUT_IF, 0)).isEqualTo("258");
    assertThat(text(FlowColumn.EXPORTER_SRC_AS, 0)).isEqualTo("65537");
    assertThat(text(FlowColumn.SRC_PORT, 0)).isEqualTo("80");
  }

  @Test
  void macsLabelsAndNatStandInTheirColumns() {
    int[] many = fields(8, 4, 56, 6, 80, 6, 70, 3, 225, 4, 226, 4, 227, 2, 228, 2);
    byte[] macs = bytes(0, 0, 0, 0, 1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE);
    byte[] rest = bytes(0x12, 0x34, 0x51, 192, 0, 2, 1, 192, 0, 2, 2, 4, 0, 0, 80);
    one(many, join(bytes(10, 0, 0, 1), macs, rest));
    assertThat(text(FlowColumn.SRC_MAC, 0)).isEqualTo("256");
    assertThat(text(FlowColumn.DST_MAC, 0)).isEqualTo(Long.toString(0xFFFF_FFFF_FFFEL));
    assertThat(text(FlowColumn.MPLS_LABEL, 0)).isEqualTo(Integer.toString(0x12345));
    assertThat(text(FlowColumn.NAT_SRC_ADDR, 0)).isEqualTo("192.0.2.1");
    assertThat(text(FlowColumn.NAT_DST_ADDR, 0)).isEqualTo("192.0.2.2");
    assertThat(text(FlowColumn.NAT_SRC_PORT, 0)).isEqualTo("1024");
    assertThat(text(FlowColumn.NAT_DST_PORT, 0)).isEqualTo("80");
  }

  @Test
  void natOfVersion6StandsInTheSameColumns() {
    one(fields(27, 16, 281, 16, 282, 16), join(ipv6(1), ipv6(2), ipv6(3)));
    assertThat(text(FlowColumn.NAT_SRC_ADDR, 0)).isEqualTo("2001:db8::2");
    assertThat(text(FlowColumn.NAT_DST_ADDR, 0)).isEqualTo("2001:db8::3");
  }

  @Test
  void ipVersionSaysWhichOfTwoAddressesIsMeant() {
    int[] both = fields(60, 1, 8, 4, 27, 16);
    byte[] v4 = bytes(10, 0, 0, 1);
    one(both, join(bytes(6), v4, ipv6(1), bytes(4), v4, ipv6(1), bytes(0), v4, ipv6(1)));
    one(both, join(bytes(4), new byte[4], ipv6(1), bytes(0), new byte[4], ipv6(1)));
    assertThat(text(FlowColumn.SRC_ADDR, 0)).isEqualTo("2001:db8::1");
    assertThat(text(FlowColumn.ETHER_TYPE, 0)).isEqualTo(Integer.toString(0x86DD));
    assertThat(text(FlowColumn.SRC_ADDR, 1)).isEqualTo("10.0.0.1");
    assertThat(text(FlowColumn.SRC_ADDR, 2)).isEqualTo("10.0.0.1");
    assertThat(text(FlowColumn.SRC_ADDR, 3)).isEqualTo("0.0.0.0");
    assertThat(text(FlowColumn.SRC_ADDR, 4)).isEqualTo("2001:db8::1");
  }

  @Test
  void ipVersionAloneMakesNoRow() {
    one(fields(60, 1, 1, 4), bytes(4, 0, 0, 0, 9));
    assertThat(rows.block.rows()).isZero();
    assertThat(rows.notes.rejects).containsExactly(Map.entry(RejectReason.NOT_IP, 1));
  }

  @Test
  void aPacketInARecordIsARow() {
    one(fields(312, 2, 315, 42), join(bytes(0, 60), frame()));
    one(fields(104, 42), frame());
    one(fields(313, 28), PACKET);
    one(fields(315, 0xFFFF), join(bytes(42), frame()));
    for (int row = 0; row < 4; row++) {
      assertThat(text(FlowColumn.SRC_ADDR, row)).isEqualTo("10.0.0.1");
      assertThat(text(FlowColumn.DST_ADDR, row)).isEqualTo("10.0.0.2");
      assertThat(text(FlowColumn.SRC_PORT, row)).isEqualTo("53");
      assertThat(text(FlowColumn.DST_PORT, row)).isEqualTo("1024");
      assertThat(text(FlowColumn.PACKETS, row)).isEqualTo("1");
    }
    assertThat(rows.block.rows()).isEqualTo(4);
    assertThat(rows.notes.rejects).isEmpty();
  }

  @Test
  void aPieceThatIsNoStartOfAnEthernetFrameIsNoRow() {
    one(fields(408, 2, 315, 42), join(bytes(0, 2), frame())); // 802.11
    one(fields(409, 2, 315, 42), join(bytes(0, 4), frame()));
    one(fields(409, 2, 313, 28), join(bytes(0, 1), PACKET));
    one(fields(313, 0xFFFF), bytes(3, 0x45, 0, 0));
    assertThat(rows.block.rows()).isZero();
    assertThat(rows.notes.rejects).containsExactly(Map.entry(RejectReason.NOT_IP, 4));
    one(fields(408, 2, 409, 2, 315, 42), join(bytes(0, 1, 0, 0), frame()));
    assertThat(rows.block.rows()).isEqualTo(1);
  }

  @Test
  void listsAreSkippedByTheirLength() { // RFC 6313: basicList, subTemplateList, -MultiList
    int[] lists = fields(8, 4, 291, 0xFFFF, 292, 0xFFFF, 293, 0xFFFF, 2, 1);
    byte[] list = bytes(5, 3, 0, 2, 0, 1);
    one(lists, join(bytes(10, 0, 0, 1), list, bytes(255, 0, 1, 9), bytes(0), bytes(7)));
    assertThat(text(FlowColumn.PACKETS, 0)).isEqualTo("7");
    assertThat(rows.notes.rejects).isEmpty();
  }

  @Test
  void fieldsOfOtherEnterprisesAreSkipped() {
    byte[] template = shorts(256, 3, 8, 4, 0x8001, 2, 0, 9999, 2, 1); // 1 of 9999: no bytes
    decode(decoder, ipfix(0, set(2, template), set(256, bytes(10, 0, 0, 1, 1, 1, 5))), 1, rows);
    assertThat(text(FlowColumn.BYTES, 0)).isEqualTo("-");
    assertThat(text(FlowColumn.PACKETS, 0)).isEqualTo("5");
  }

  @Test
  void reverseElementsAreTheOtherDirections() { // RFC 5103
    byte[] template =
        shorts(
            256, 9, 8, 4, 12, 4, 7, 2, 11, 2, 4, 1, 2, 1, 0x8002, 1, 0, 29305, 6, 1, 0x8006, 1, 0,
            29305);
    byte[] record = bytes(10, 0, 0, 1, 10, 0, 0, 2, 0, 80, 4, 0, 6, 5, 3, 2, 0x12);
    byte[] oneWay = record.clone();
    oneWay[14] = 0;
    decode(decoder, ipfix(0, set(2, template), set(256, join(record, oneWay))), 1, rows);
    assertThat(rows.block.rows()).isEqualTo(3);
    assertThat(text(FlowColumn.SRC_ADDR, 1)).isEqualTo("10.0.0.2");
    assertThat(text(FlowColumn.DST_ADDR, 1)).isEqualTo("10.0.0.1");
    assertThat(text(FlowColumn.SRC_PORT, 1)).isEqualTo("1024");
    assertThat(text(FlowColumn.DST_PORT, 1)).isEqualTo("80");
    assertThat(text(FlowColumn.PACKETS, 1)).isEqualTo("3");
    assertThat(text(FlowColumn.TCP_FLAGS, 0)).isEqualTo("2");
    assertThat(text(FlowColumn.TCP_FLAGS, 1)).isEqualTo("18");
    assertThat(text(FlowColumn.PACKETS, 2)).isEqualTo("5");
  }

  @Test
  void theOtherDirectionSwapsTheEndpoints() { // RFC 5103 section 4
    int[] ends = fields(8, 4, 12, 4, 4, 1, 10, 1, 14, 1, 58, 2, 59, 2, 56, 6, 80, 6, 232, 1);
    int[] more = fields(9, 1, 13, 1, 16, 2, 17, 2, 5, 1);
    byte[] macs = bytes(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2);
    one(
        both(ends, more),
        join(
            bytes(10, 0, 0, 1, 10, 0, 0, 2, 17, 3, 4, 0, 100, 0, 200),
            macs,
            bytes(9, 24, 16, 1, 0, 2, 0, 0xB8)));
    assertThat(texts(0, FlowColumn.IN_IF, FlowColumn.SRC_VLAN, FlowColumn.SRC_MAC))
        .isEqualTo(texts(1, FlowColumn.OUT_IF, FlowColumn.DST_VLAN, FlowColumn.DST_MAC))
        .containsExactly("3", "100", "1");
    assertThat(texts(1, FlowColumn.IN_IF, FlowColumn.SRC_VLAN, FlowColumn.SRC_MAC))
        .isEqualTo(texts(0, FlowColumn.OUT_IF, FlowColumn.DST_VLAN, FlowColumn.DST_MAC))
        .containsExactly("4", "200", "2");
    assertThat(texts(1, FlowColumn.SRC_MASK, FlowColumn.DST_MASK)).containsExactly("16", "24");
    assertThat(texts(1, FlowColumn.EXPORTER_SRC_AS, FlowColumn.EXPORTER_DST_AS))
        .containsExactly("512", "256");
    assertThat(texts(1, FlowColumn.BYTES, FlowColumn.PROTO, FlowColumn.TOS))
        .containsExactly("9", "17", "184");
  }

  @Test
  void aLoneVlanIsThatOfBothDirections() {
    one(fields(8, 4, 58, 2, 232, 1), bytes(10, 0, 0, 1, 0, 100, 9));
    assertThat(texts(1, FlowColumn.SRC_VLAN, FlowColumn.DST_VLAN)).containsExactly("100", "-");
  }

  @Test
  void valuesOfOneDirectionAreNullInTheOther() {
    int[] oneWay = fields(8, 4, 15, 4, 61, 1, 70, 3, 225, 4, 226, 4, 227, 2, 228, 2, 89, 1, 232, 1);
    byte[] nat = bytes(192, 0, 2, 1, 192, 0, 2, 2, 4, 0, 0, 80);
    one(oneWay, join(bytes(10, 0, 0, 1, 10, 0, 0, 9, 1, 0, 1, 0), nat, bytes(64, 9)));
    FlowColumn[] columns = {
      FlowColumn.NEXT_HOP,
      FlowColumn.DIRECTION,
      FlowColumn.MPLS_LABEL,
      FlowColumn.NAT_SRC_ADDR,
      FlowColumn.NAT_DST_ADDR,
      FlowColumn.NAT_SRC_PORT,
      FlowColumn.NAT_DST_PORT,
      FlowColumn.FORWARDING_STATUS
    };
    assertThat(texts(0, columns))
        .containsExactly("10.0.0.9", "1", "16", "192.0.2.1", "192.0.2.2", "1024", "80", "64");
    assertThat(texts(1, columns)).containsOnly("-");
  }

  @Test
  void reverseElementsHaveTheLastWord() {
    byte[] template =
        shorts(
            256, 7, 8, 4, 61, 1, 225, 4, 0x8002, 1, 0, 29305, 0x803D, 1, 0, 29305, 0x80E2, 4, 0,
            29305, 0x803A, 2, 0, 29305);
    byte[] record = bytes(10, 0, 0, 1, 0, 192, 0, 2, 1, 3, 1, 192, 0, 2, 1, 0, 77);
    decode(decoder, ipfix(0, set(2, template), set(256, record)), 1, rows);
    assertThat(texts(1, FlowColumn.DIRECTION, FlowColumn.NAT_SRC_ADDR, FlowColumn.NAT_DST_ADDR))
        .containsExactly("1", "-", "192.0.2.1");
    assertThat(texts(0, FlowColumn.SRC_VLAN)).containsExactly("-");
    assertThat(texts(1, FlowColumn.SRC_VLAN)).containsExactly("77");
  }

  @Test
  void paddingIsNoRecord() {
    byte[] template = shorts(256, 2, 8, 4, 2, 1, 0, 0); // template sets may be padded too
    byte[] records = bytes(10, 0, 0, 1, 5, 10, 0, 0, 2, 6, 0, 0);
    byte[] message = v9(set(0, template), set(256, records), set(256, records));
    decode(decoder, message, 1, rows);
    assertThat(rows.block.rows()).isEqualTo(4);
    assertThat(rows.notes.rejects).isEmpty();
  }
}
