package io.millrace.wire.goflow2;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RejectReason;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages byte by byte, with the published field numbers. */
class FlowMessageDecoderTest {
  private static final byte[] V4 = {(byte) 192, 0, 2, 1};

  private final ByteArrayOutputStream message = new ByteArrayOutputStream();
  private final FlowBlock out = new FlowBlock(1);
  private final List<RejectReason> rejects = new ArrayList<>();

  private FlowMessageDecoderTest number(int field, long value) {
    varint((long) field << 3);
    varint(value);
    return this;
  }

  private FlowMessageDecoderTest bytes(int field, byte... value) {
    varint((long) field << 3 | 2);
    varint(value.length);
    message.writeBytes(value);
    return this;
  }

  private void varint(long value) {
    long rest = value;
    for (; (rest & ~127L) != 0; rest >>>= 7) {
      message.write((int) rest | 128);
    }
    message.write((int) rest);
  }

  private Map<String, Object> row() {
    assertThat(decode()).isTrue();
    assertThat(rejects).isEmpty();
    return Rows.values(out).get(0);
  }

  private boolean decode() {
    byte[] b = message.toByteArray();
    return new FlowMessageDecoder()
        .decode(b, 0, b.length, 77, out, (reason, offset) -> rejects.add(reason));
  }

  @Test
  void readsAMessageOfGoFlow2() {
    // Field by field: type, sampling rate, sequence, addresses, bytes, packets, sampler, …
    byte[] b =
        HexFormat.of()
            .parseHex(
                "0801"
                    + "18e807"
                    + "2005"
                    + "3204c0000201"
                    + "3a04c6336402"
                    + "48dc0b"
                    + "5001"
                    + "5a040a000001"
                    + "7080fe03"
                    + "900103"
                    + "980104"
                    + "a00106"
                    + "a801bb03"
                    + "b001b8d103"
                    + "d00112"
                    + "f0018010"
                    + "88020a"
                    + "f00680949bf8f8a6e4e417");
    message.writeBytes(b);
    assertThat(row())
        .containsEntry("time", 1_714_060_801_000_000L)
        .containsEntry("exporter", "10.0.0.1")
        .containsEntry("src_addr", "192.0.2.1")
        .containsEntry("dst_addr", "198.51.100.2")
        .containsEntry("proto", 6L)
        .containsEntry("src_port", 443L)
        .containsEntry("dst_port", 59_576L)
        .containsEntry("bytes", 1_500L)
        .containsEntry("packets", 1L)
        .containsEntry("sampling_rate", 1_000L)
        .containsEntry("sampling_source", 1L)
        .containsEntry("tcp_flags", 18L)
        .containsEntry("tos", 0L)
        .containsEntry("ether_type", 2_048L)
        .containsEntry("src_vlan", 10L)
        .containsEntry("in_if", 3L)
        .containsEntry("out_if", 4L)
        .containsEntry("out_if_format", 0L)
        .containsEntry("exporter_src_as", 65_280L)
        .hasSize(19);
  }

  @ParameterizedTest
  @ValueSource(longs = {(1 << 24) + 1, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE, -1})
  void aSamplingRateThatCannotBeIsUnknownAndCounted(long rate) {
    assertThat(bytes(6, V4).number(9, 5).number(3, rate).decode()).isTrue();
    assertThat(Rows.values(out).get(0))
        .containsEntry("bytes", 5L)
        .containsEntry("sampling_source", 0L)
        .doesNotContainKey("sampling_rate");
    assertThat(rejects).containsExactly(RejectReason.IMPOSSIBLE_RATE);
  }

  @Test
  void theGreatestRateAndTheGreatestCountsAreTaken() {
    assertThat(bytes(6, V4).number(9, 1L << 48).number(10, 1L << 40).number(3, 1 << 24).row())
        .containsEntry("bytes", 1L << 48)
        .containsEntry("packets", 1L << 40)
        .containsEntry("sampling_rate", 1L << 24);
  }

  @ParameterizedTest
  @ValueSource(longs = {(1L << 48) + 1, Long.MAX_VALUE, Long.MIN_VALUE, -1})
  void moreBytesOrPacketsThanCanBeAreNoRow(long more) {
    assertThat(bytes(6, V4).number(9, more).decode()).isFalse();
    assertThat(number(9, 1).number(10, more).decode()).isFalse();
    assertThat(out.rows()).isZero();
    assertThat(rejects)
        .containsExactly(RejectReason.IMPOSSIBLE_COUNT, RejectReason.IMPOSSIBLE_COUNT);
  }

  @Test
  void icmpHasItsTypeAndCodeWherePortsAre() {
    assertThat(bytes(6, V4).number(20, 1).number(31, 3).number(32, 1).row())
        .containsEntry("src_port", 3L)
        .containsEntry("dst_port", 1L);
  }

  @Test
  void icmpInTheDestinationPortIsTakenOutOfIt() {
    assertThat(bytes(6, V4).number(20, 58).number(22, 0x8100).row())
        .containsEntry("src_port", 129L)
        .containsEntry("dst_port", 0L);
  }

  @Test
  void separateIcmpElementsLeaveThePort() {
    assertThat(bytes(6, V4).number(20, 1).number(22, 0x301).number(31, 8).row())
        .containsEntry("src_port", 8L)
        .containsEntry("dst_port", 0L);
  }

  @Test
  void anEchoReplyOfTypeZeroIsReported() {
    assertThat(bytes(6, V4).number(20, 1).row())
        .containsEntry("src_port", 0L)
        .containsEntry("dst_port", 0L);
  }

  @Test
  void timesOfTheFirstGenerationAreRead() {
    assertThat(bytes(6, V4).number(2, 1_700_000_000).number(63, 5).number(64, 6).row())
        .containsEntry("time", 1_700_000_000_000_000L)
        .containsEntry("flow_start", 5_000L)
        .containsEntry("flow_end", 6_000L);
  }

  @Test
  void aFlowWithoutTimeHasThatOfTheMessage() {
    assertThat(bytes(6, V4).row()).containsEntry("time", 77L);
  }

  @Test
  void theTopmostLabelIsReadPackedOrNot() {
    assertThat(bytes(6, V4).bytes(81, (byte) 0x90, (byte) 0x4E, (byte) 5).row())
        .containsEntry("mpls_label", 10_000L);
    message.reset();
    out.clear();
    assertThat(bytes(6, V4).number(81, 16).number(81, 17).row()).containsEntry("mpls_label", 16L);
  }

  @Test
  void theTagOfThePacketIsTakenWhereTheSwitchSaysNone() {
    assertThat(bytes(6, V4).number(29, 12).row()).containsEntry("src_vlan", 12L);
    out.clear();
    assertThat(number(33, 9).row()).containsEntry("src_vlan", 9L);
  }

  @Test
  void theNextHopOfBgpStandsInForTheRouters() {
    assertThat(bytes(6, V4).bytes(100, V4).row()).containsEntry("next_hop", "192.0.2.1");
  }

  @Test
  void fieldsOfOthersAreSteppedOver() {
    bytes(6, V4).number(9_999, -1).bytes(2_222, new byte[300]);
    varint(500 << 3 | 1);
    message.writeBytes(new byte[8]);
    varint(501 << 3 | 5);
    message.writeBytes(new byte[4]);
    assertThat(number(9, 4).row()).containsEntry("bytes", 4L);
  }

  @Test
  void aFieldThatStandsTwiceHasItsLastValue() {
    assertThat(bytes(6, V4).number(9, 4).number(9, 5).row()).containsEntry("bytes", 5L);
  }

  @Test
  void numbersThatDoNotFitAreNotSaid() {
    assertThat(
            bytes(6, V4)
                .number(20, 256)
                .number(21, 65_536)
                .number(18, 1L << 32)
                .number(27, 1L << 48)
                .row())
        .doesNotContainKeys("proto", "src_port", "in_if", "src_mac");
  }

  @Test
  void withoutAddressesThereIsNoRow() {
    assertThat(number(9, 4).bytes(6).decode()).isFalse();
    assertThat(rejects).containsExactly(RejectReason.NOT_IP);
  }

  @Test
  void anAddressOfFiveBytesIsBad() {
    assertThat(bytes(6, new byte[5]).decode()).isFalse();
    assertThat(rejects).containsExactly(RejectReason.BAD_MESSAGE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00", // field 0
        "0b", // a group
        "48", // a missing number
        "48ffffffffffffffffffffff01", // an unterminated number
        "32ff", // an unterminated length
        "3205c0000201", // a length beyond the end
        "3280808080808080808001", // a negative length
        "f9ff", // 8 bytes are missing
        "ffffffffffffffffff01" // a tag of more than 32 bits
      })
  void brokenMessagesAreRejectedOnce(String hex) {
    bytes(6, V4);
    message.writeBytes(HexFormat.of().parseHex(hex));
    assertThat(decode()).isFalse();
    assertThat(rejects).containsExactly(RejectReason.BAD_MESSAGE);
    assertThat(out.rows()).isZero();
  }
}
