package io.millrace.wire.goflow2;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Flows as GoFlow2 writes them with {@code -format=json}. */
class FlowMessageJsonTest {
  private static final String WHOLE =
      """
      {"type":"NETFLOW_V9","time_received_ns":1700000000123456789,"sequence_num":65361,\
      "sampling_rate":100,"sampler_address":"192.0.2.1","time_flow_start_ns":1699999990000000000,\
      "time_flow_end_ns":1699999999000000000,"bytes":5000000000,"packets":9,\
      "src_addr":"198.51.100.2","src_net":"198.51.100.0/24","dst_addr":"203.0.113.7",\
      "dst_net":"0.0.0.0/0","etype":"IPv4","proto":"TCP","src_port":53,"dst_port":55743,"in_if":11,\
      "out_if":12,"src_mac":"42:61:64:55:53:42","dst_mac":"00:00:00:00:00:00","src_vlan":7,\
      "dst_vlan":0,"vlan_id":0,"ip_tos":0,"forwarding_status":64,"ip_ttl":64,"tcp_flags":27,\
      "icmp_type":0,"icmp_code":0,"src_as":64500,"dst_as":0,"next_hop":"192.0.2.9",\
      "as_path":[],"bgp_next_hop":"","mpls_label":[1000,2000],"mpls_ttl":[],\
      "observation_domain_id":3,"layer_stack":["Ethernet","IPv4"],"icmp_name":"unknown"}""";

  private final FlowMessageDecoder decoder = new FlowMessageDecoder();
  private final FlowBlock out = new FlowBlock(1);
  private final List<RejectReason> rejects = new ArrayList<>();

  private boolean decode(String json) {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    byte[] among = new byte[bytes.length + 20];
    Arrays.fill(among, (byte) '{');
    System.arraycopy(bytes, 0, among, 10, bytes.length);
    return decoder.decode(
        among,
        10,
        bytes.length,
        77,
        out,
        (reason, offset) -> {
          assertThat(offset).isBetween(0, bytes.length);
          rejects.add(reason);
        });
  }

  private static String address(FlowBlock block, FlowColumn column, int row) {
    return Addresses.toText(block.addressHigh(column)[row], block.addressLow(column)[row]);
  }

  private int number(FlowColumn column) {
    return out.ints(column)[0];
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "281474976710657",
        "9223372036854775808",
        "18446744073709551615",
        "1e300",
        "-1",
        "\"281474976710657\"",
        "\"18446744073709551615\""
      })
  void moreBytesThanCanBeAreNoRow(String bytes) {
    assertThat(decode("{\"src_addr\":\"192.0.2.1\",\"bytes\":" + bytes + "}")).isFalse();
    assertThat(out.rows()).isZero();
    assertThat(rejects).containsExactly(RejectReason.IMPOSSIBLE_COUNT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"16777217", "4294967295", "1e300", "-1", "\"18446744073709551615\""})
  void aSamplingRateThatCannotBeIsUnknownAndCounted(String rate) {
    assertThat(decode("{\"src_addr\":\"192.0.2.1\",\"sampling_rate\":" + rate + "}")).isTrue();
    assertThat(number(FlowColumn.SAMPLING_RATE)).isEqualTo(FlowBlock.NULL);
    assertThat(number(FlowColumn.SAMPLING_SOURCE)).isZero();
    assertThat(rejects).containsExactly(RejectReason.IMPOSSIBLE_RATE);
  }

  @Test
  void everyFieldHasItsColumn() {
    assertThat(decode(WHOLE)).isTrue();
    assertThat(out.longs(FlowColumn.TIME)[0]).isEqualTo(1_700_000_000_123_456L);
    assertThat(out.longs(FlowColumn.FLOW_START)[0]).isEqualTo(1_699_999_990_000_000L);
    assertThat(out.longs(FlowColumn.FLOW_END)[0]).isEqualTo(1_699_999_999_000_000L);
    assertThat(address(out, FlowColumn.EXPORTER, 0)).isEqualTo("192.0.2.1");
    assertThat(address(out, FlowColumn.SRC_ADDR, 0)).isEqualTo("198.51.100.2");
    assertThat(address(out, FlowColumn.DST_ADDR, 0)).isEqualTo("203.0.113.7");
    assertThat(address(out, FlowColumn.NEXT_HOP, 0)).isEqualTo("192.0.2.9");
    assertThat(out.longs(FlowColumn.BYTES)[0]).isEqualTo(5_000_000_000L);
    assertThat(out.longs(FlowColumn.PACKETS)[0]).isEqualTo(9);
    assertThat(out.longs(FlowColumn.SRC_MAC)[0]).isEqualTo(0x426164555342L);
    assertThat(number(FlowColumn.SAMPLING_RATE)).isEqualTo(100);
    assertThat(number(FlowColumn.ETHER_TYPE)).isEqualTo(0x0800);
    assertThat(number(FlowColumn.PROTO)).isEqualTo(6);
    assertThat(number(FlowColumn.SRC_PORT)).isEqualTo(53);
    assertThat(number(FlowColumn.DST_PORT)).isEqualTo(55_743);
    assertThat(number(FlowColumn.IN_IF)).isEqualTo(11);
    assertThat(number(FlowColumn.OUT_IF)).isEqualTo(12);
    assertThat(number(FlowColumn.SRC_VLAN)).isEqualTo(7);
    assertThat(number(FlowColumn.TOS)).isZero();
    assertThat(number(FlowColumn.TCP_FLAGS)).isEqualTo(27);
    assertThat(number(FlowColumn.FORWARDING_STATUS)).isEqualTo(64);
    assertThat(number(FlowColumn.SRC_MASK)).isEqualTo(24);
    assertThat(out.has(FlowColumn.DST_MASK)).isFalse();
    assertThat(number(FlowColumn.EXPORTER_SRC_AS)).isEqualTo(64_500);
    assertThat(number(FlowColumn.MPLS_LABEL)).isEqualTo(1_000);
    assertThat(number(FlowColumn.OBSERVATION_DOMAIN)).isEqualTo(3);
    assertThat(rejects).isEmpty();
  }

  @Test
  void numbersWithoutGoFlow2NamesAreNull() {
    assertThat(decode("{\"src_addr\":\"2001:db8::1\",\"proto\":\"\",\"etype\":\"\"}")).isTrue();
    assertThat(number(FlowColumn.PROTO)).isEqualTo(FlowBlock.NULL);
    assertThat(number(FlowColumn.ETHER_TYPE)).isEqualTo(0x86DD);
    assertThat(out.longs(FlowColumn.TIME)[0]).isEqualTo(77);
  }

  @ParameterizedTest
  @CsvSource({
    "time_received_ns, \"2023-11-14T22:13:20.5Z\", 1700000000500000",
    "time_received, 1700000000, 1700000000000000",
    "TimeReceived, 1700000000, 1700000000000000",
  })
  void timesAreReadInEachForm(String name, String value, long micros) {
    assertThat(decode("{\"SrcAddr\":\"10.0.0.1\",\"" + name + "\":" + value + "}")).isTrue();
    assertThat(out.longs(FlowColumn.TIME)[0]).isEqualTo(micros);
  }

  @Test
  void protocolsAreReadAsNamesAndAsNumbers() {
    String[] protos = {"\"UDP\"", "17", "\"17\"", "\"ICMPv6\"", "58"};
    for (String proto : protos) {
      assertThat(decode("{ \"src_addr\" : \"10.0.0.1\" , \"proto\" : " + proto + " }\n")).isTrue();
    }
    assertThat(Arrays.copyOf(out.ints(FlowColumn.PROTO), 5)).containsExactly(17, 17, 17, 58, 58);
  }

  @Test
  void severalObjectsAreSeveralFlows() {
    decode("{\"src_addr\":\"10.0.0.1\"}\n{\"src_addr\":\"10.0.0.2\"}{\"bytes\":1}\n");
    assertThat(out.rows()).isEqualTo(2);
    assertThat(rejects).containsExactly(RejectReason.NOT_IP);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"src_addr\":\"10.0.0.1\"",
        "{\"src_addr\":\"10.0.0\"}",
        "{\"src_addr\":1}",
        "{\"src_addr\":\"10.0.0.1\",\"bytes\":{}}",
        "{\"src_addr\":\"10.0.0.1\",\"bytes\":\"many\"}",
        "{\"src_addr\":\"10.0.0.1\",\"src_mac\":\"1:2\"}",
        "{\"src_addr\":\"10.0.0.1\",\"mpls_label\":[1,}",
        "{\"src_addr\":\"10.0.0.1\"} x {} {}",
      })
  void aWrongMessageIsOneReject(String json) {
    decode(json);
    assertThat(rejects).containsExactly(RejectReason.BAD_MESSAGE);
  }

  @Test
  void aNumberThatNoColumnHoldsIsNotSaid() {
    decode("{\"src_addr\":\"10.0.0.1\",\"in_if\":18446744073709551615,\"src_port\":70000}");
    assertThat(number(FlowColumn.IN_IF)).isEqualTo(FlowBlock.NULL);
    assertThat(number(FlowColumn.SRC_PORT)).isEqualTo(FlowBlock.NULL);
  }

  @Test
  void nothingIsLeftOfTheMessageBefore() {
    decode(WHOLE);
    decode("{\"src_addr\":\"10.0.0.1\"}");
    assertThat(out.longs(FlowColumn.BYTES)[1]).isEqualTo(FlowBlock.NULL);
    assertThat(address(out, FlowColumn.DST_ADDR, 1)).isEmpty();
  }

  @Test
  void damagedMessagesAreRowsOrOneReject() {
    Random random = new Random(5);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = WHOLE.getBytes(StandardCharsets.UTF_8);
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        bytes[1 + random.nextInt(bytes.length - 1)] = (byte) random.nextInt();
      }
      rejects.clear();
      out.clear();
      decoder.decode(
          bytes, 0, 1 + random.nextInt(bytes.length), 1, out, (reason, at) -> rejects.add(reason));
      assertThat(out.rows() + rejects.size()).isPositive();
      assertThat(rejects).hasSizeLessThan(3);
    }
  }
}
