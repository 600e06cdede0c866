package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.bytes;
import static io.millrace.wire.netflow.Messages.decode;
import static io.millrace.wire.netflow.Messages.ipfix;
import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.shorts;
import static io.millrace.wire.netflow.Messages.v9;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowColumn;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** State in the format as released is restored, and the stream continues without loss. */
class SessionGoldenTest {
  private static final String FILE = "sessions-version-1.bin";
  private static final byte[] TEMPLATE = shorts(256, 3, 8, 4, 48, 1, 22, 4);
  private static final byte[] RECORD = record(9);
  private static final int OTHER_PORT = 10_000;

  /** Record of the template with a name of variable length. */
  private static final byte[] VARIABLE = bytes(0, 0, 0, 1, 2, 0, 7, 0, 0, 0x0F, 0xA0, 3);

  private NetflowDecoder decoder;
  private final Messages.Rows rows = new Messages.Rows();

  private static byte[] record(int sampler) {
    return ByteBuffer.allocate(9).putInt(0x0A000001).put((byte) sampler).putInt(1000).array();
  }

  /** A decoder with samplers, a start, held data and a template of variable length. */
  private static NetflowDecoder golden() {
    NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
    Messages.Rows none = new Messages.Rows();
    byte[] samplers = shorts(257, 4, 8, 1, 4, 48, 4, 50, 4);
    byte[] domain = shorts(258, 4, 4, 1, 4, 34, 4);
    decode(
        decoder,
        v9(
            set(0, TEMPLATE),
            set(1, samplers),
            set(257, bytes(0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 100)),
            set(1, domain),
            set(258, bytes(0, 0, 0, 0, 0, 0, 0, 50)),
            set(300, RECORD)),
        1_000_000,
        none);
    byte[] started = shorts(259, 2, 1, 149, 4, 160, 8);
    byte[] millis = ByteBuffer.allocate(12).putInt(7).putLong(Messages.UNIX * 1000L - 5000).array();
    byte[] variable = shorts(256, 4, 8, 4, 82, 0xFFFF, 22, 4, 0x8002, 1, 0, 29305);
    decode(
        decoder, ipfix(40, set(3, started), set(259, millis), set(2, variable)), 2_000_000, none);
    return decoder;
  }

  /** The same decoder with a gap in its sequence. */
  private static NetflowDecoder goldenWithGap() {
    NetflowDecoder decoder = golden();
    decode(decoder, ipfix(44, set(256, VARIABLE)), 2_000_001, new Messages.Rows());
    return decoder;
  }

  /** The same decoder with a jump. */
  private static NetflowDecoder goldenWithLeap() {
    NetflowDecoder decoder = goldenWithGap();
    decode(decoder, ipfix(500_000, set(256, VARIABLE)), 2_000_002, new Messages.Rows());
    return decoder;
  }

  /**
   * The decoder in the golden file: the same with rates of an interface and of a cache, and a
   * template of another port.
   */
  private static NetflowDecoder goldenWithScopes() {
    NetflowDecoder decoder = goldenWithLeap();
    byte[] message =
        v9(
            set(1, shorts(260, 4, 4, 2, 4, 34, 4)),
            set(260, bytes(0, 0, 0, 3, 0, 0, 0, 70)),
            set(1, shorts(261, 4, 4, 4, 4, 34, 4)),
            set(261, bytes(0, 0, 0, 1, 0, 0, 0, 80)),
            set(0, TEMPLATE));
    Messages.Rows none = new Messages.Rows();
    decoder.decode(message, 0, message.length, 2_000_003, 0, 1, OTHER_PORT, none.block, none.notes);
    return decoder;
  }

  /** Writes the golden file; argument: the resources directory. */
  public static void main(String[] args) throws IOException {
    Files.write(Path.of(args[0], FILE), snapshot(goldenWithScopes()));
  }

  private static byte[] read(String file) throws IOException {
    try (InputStream in = SessionGoldenTest.class.getResourceAsStream(file)) {
      assertThat(in).as(file).isNotNull();
      return in.readAllBytes();
    }
  }

  private static NetflowDecoder decoder(byte[] state) {
    return NetflowDecoder.restore(new BlockInput(state, 0, state.length), NetflowConfig.DEFAULT);
  }

  private static byte[] snapshot(NetflowDecoder decoder) {
    BlockBuffer out = new BlockBuffer(64);
    decoder.snapshot(out);
    return out.toBytes();
  }

  @BeforeEach
  void restore() {
    decoder = decoder(snapshot(golden()));
  }

  @Test
  void restoredStateIsWrittenUnchanged() throws IOException {
    byte[] state = read(FILE);
    assertThat(snapshot(decoder(state))).isEqualTo(state);
    assertThat(snapshot(goldenWithScopes())).isEqualTo(state);
  }

  @Test
  void dataIsDecodedWithoutRepeatedTemplates() {
    decode(decoder, v9(set(256, RECORD), set(256, record(8))), 3_000_000, rows);
    assertThat(rows.block.rows()).isEqualTo(2);
    assertThat(rows.block.ints(FlowColumn.SAMPLING_RATE)).startsWith(100, 50);
    assertThat(rows.block.ints(FlowColumn.SAMPLING_SOURCE))
        .startsWith(SamplingSource.SAMPLER.code(), SamplingSource.DOMAIN.code());
    assertThat(rows.notes.held).isZero();
  }

  @Test
  void heldDataIsDecodedByTheTemplateThatComes() {
    byte[] late = TEMPLATE.clone();
    late[0] = 300 >> 8;
    late[1] = 300 & 0xFF;
    decode(decoder, v9(set(0, late)), 3_000_000, rows);
    assertThat(rows.block.rows()).isEqualTo(1);
    assertThat(rows.block.longs(FlowColumn.TIME)[0]).isEqualTo(1_000_000);
    assertThat(rows.notes.decoded).isGreaterThan(RECORD.length);
    assertThat(decoder.heldBytes()).isZero();
  }

  @Test
  void uptimesAndSequencesGoOn() {
    decode(decoder, ipfix(44, set(256, VARIABLE)), 3_000_000, rows);
    assertThat(rows.block.rows()).isEqualTo(2); // and the reverse
    assertThat(rows.block.longs(FlowColumn.FLOW_START)[0])
        .isEqualTo(Messages.UNIX * 1_000_000L - 1_000_000);
    assertThat(rows.notes.lost).isEqualTo(3);
  }

  @Test
  void gapsAreFilledByLateMessages() {
    NetflowDecoder later = decoder(snapshot(goldenWithGap()));
    decode(later, ipfix(42, set(256, VARIABLE)), 3_000_000, rows);
    decode(later, ipfix(45, set(256, VARIABLE)), 3_000_001, rows);
    assertThat(rows.notes.lost).isEqualTo(-1);
  }

  @Test
  void leapIsTakenBackWhereTheNumbersGoOnAtThePlaceThatTheyLeft() throws IOException {
    NetflowDecoder later = decoder(read(FILE));
    decode(later, ipfix(45, set(256, VARIABLE)), 3_000_000, rows);
    assertThat(rows.notes.lost).isEqualTo(45 - 500_000);
    assertThat(rows.notes.doubts).isEqualTo(1);
  }
}
