package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.ipfix;
import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.shorts;
import static io.millrace.wire.netflow.Messages.v9;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.NameKind;
import io.millrace.wire.block.NameText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Names of interfaces, VRFs, applications and samplers in options data. */
class NamesTest {
  private final NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
  private final FlowBlock block = new FlowBlock(4);
  private final List<String> names = new ArrayList<>();
  private final Counting notes =
      new Counting() {
        @Override
        public void name(NameKind kind, long number, String name, String description) {
          names.add(kind.word() + " " + number + " '" + name + "' '" + description + "'");
        }
      };

  private void decode(byte[] message) {
    decoder.decode(message, 0, message.length, 1, 0, 1, 9999, block, notes);
  }

  private static byte[] record(int number, String name, int length, String description, int max) {
    ByteBuffer record = ByteBuffer.allocate(4 + length + max).putInt(number);
    record.put(name.getBytes(StandardCharsets.UTF_8)).position(4 + length);
    return record.put(description.getBytes(StandardCharsets.UTF_8)).array();
  }

  /** Cisco's "option interface-table": the interface is the scope, texts are padded with zeros. */
  @Test
  void interfacesOfVersion9() {
    byte[] template = shorts(257, 4, 8, 2, 4, 82, 16, 83, 24);
    byte[] record = record(7, "Gi0/0/7", 16, "to the exchange", 24);
    decode(v9(set(1, template), set(257, record)));
    assertThat(names).containsExactly("interface 7 'Gi0/0/7' 'to the exchange'");
  }

  /** The scope is the system, the interface a field, and texts have variable length. */
  @Test
  void interfacesOfIpfix() {
    byte[] template = shorts(257, 4, 1, 149, 4, 10, 4, 82, 65535, 83, 65535);
    ByteBuffer record = ByteBuffer.allocate(100).putInt(1).putInt(12);
    record.put((byte) 4).put("eth2".getBytes(StandardCharsets.UTF_8)).put((byte) 0);
    byte[] whole = new byte[record.position()];
    record.flip().get(whole);
    decode(ipfix(0, set(3, template), set(257, whole)));
    assertThat(names).containsExactly("interface 12 'eth2' ''");
  }

  @Test
  void vrfsApplicationsAndSamplers() {
    decode(
        v9(
            set(1, shorts(257, 4, 8, 1, 4, 234, 4, 236, 8)),
            set(257, join(new byte[] {0, 0, 0, 1}, record(5, "blue", 8, "", 0)))));
    decode(
        v9(
            set(1, shorts(258, 4, 12, 1, 4, 95, 4, 96, 8, 94, 12)),
            set(
                258,
                join(new byte[] {0, 0, 0, 1}, record(0x0300_0050, "http", 8, "the web", 12)))));
    decode(
        v9(
            set(1, shorts(259, 4, 8, 1, 4, 48, 4, 84, 8)),
            set(259, join(new byte[] {0, 0, 0, 1}, record(2, "1-in-100", 8, "", 0)))));
    assertThat(names)
        .containsExactly(
            "vrf 5 'blue' ''", "application 50331728 'http' 'the web'", "sampler 2 '1-in-100' ''");
  }

  /** RFC 5477: a selector, its name of variable length, and its parameters. */
  @Test
  void selectorsOfIpfix() {
    byte[] template = shorts(260, 4, 1, 302, 8, 335, 65535, 305, 4, 306, 4);
    byte[] record =
        Messages.bytes(0, 0, 0, 0, 0, 0, 0, 9, 4, 'e', 'd', 'g', 'e', 0, 0, 0, 1, 0, 0, 3, 231);
    decode(ipfix(0, set(3, template), set(260, record)));
    assertThat(names).containsExactly("sampler 9 'edge' ''");
    decode(
        ipfix(
            0,
            set(2, shorts(256, 2, 8, 4, 302, 8)),
            set(256, Messages.bytes(10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9))));
    assertThat(block.ints(FlowColumn.SAMPLER)[0]).isEqualTo(9);
    assertThat(block.ints(FlowColumn.SAMPLING_RATE)[0]).isEqualTo(1_000);
  }

  @Test
  void aNameNeedsATextAndANumber() {
    decode(v9(set(1, shorts(257, 4, 4, 2, 4, 82, 8)), set(257, record(7, "", 8, "", 0))));
    decode(v9(set(1, shorts(258, 4, 4, 2, 9, 82, 8)), set(258, new byte[17])));
    decode(v9(set(1, shorts(259, 4, 4, 2, 4, 34, 4)), set(259, record(7, "", 4, "", 0))));
    assertThat(names).isEmpty();
  }

  @Test
  void recordsHaveTheNumbersThatAreNamed() {
    decode(
        ipfix(
            0,
            set(2, shorts(256, 4, 8, 4, 234, 4, 235, 4, 95, 4)),
            set(256, Messages.bytes(10, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 6, 3, 0, 0, 80))));
    assertThat(block.ints(FlowColumn.IN_VRF)[0]).isEqualTo(5);
    assertThat(block.ints(FlowColumn.OUT_VRF)[0]).isEqualTo(6);
    assertThat(block.longs(FlowColumn.APP_ID)[0]).isEqualTo(0x0300_0050);
  }

  @Test
  void textsMayBeShown() {
    byte[] bytes = ("  a\u0007b\n" + "é".repeat(200)).getBytes(StandardCharsets.UTF_8);
    assertThat(NameText.of(bytes, 0, bytes.length)).isEqualTo("a b " + "é".repeat(122));
    assertThat(NameText.of(new byte[] {(byte) 0xFF, 'x', 0, 'y'}, 0, 4)).isEqualTo("\uFFFDx");
  }

  private static byte[] join(byte[] one, byte[] other) {
    return ByteBuffer.allocate(one.length + other.length).put(one).put(other).array();
  }
}
