package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.shorts;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowColumn;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Values of one port or domain of a device apply to the others, and those with a scope only to that
 * scope.
 */
class DeviceTest {
  private static final int A = 1001;
  private static final int B = 1002;
  private static final int IN = 10;
  private static final int OUT = 14;
  private static final int SAMPLER = 48;
  private static final int CARD = 141;

  private NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
  private final Messages.Rows rows = new Messages.Rows();
  private int version = 9;

  /** Sends sets from a port, as an observation domain of an exporter. */
  private void send(int exporter, int port, int domain, byte[]... sets) {
    byte[] message = version == 9 ? Messages.v9(sets) : Messages.ipfix(0, sets);
    ByteBuffer.wrap(message).putInt(version == 9 ? 16 : 12, domain);
    decoder.decode(message, 0, message.length, 1, 0, exporter, port, rows.block, rows.notes);
  }

  private void send(int port, int domain, byte[]... sets) {
    send(1, port, domain, sets);
  }

  private byte[] template(int id, int... elements) {
    int[] template = new int[4 + 2 * elements.length];
    template[0] = id;
    template[1] = 1 + elements.length;
    template[2] = 8;
    template[3] = 4;
    for (int i = 0; i < elements.length; i++) {
      template[4 + 2 * i] = elements[i];
      template[5 + 2 * i] = 4;
    }
    return set(version == 9 ? 0 : 2, shorts(template));
  }

  private static byte[] ints(int... values) {
    ByteBuffer b = ByteBuffer.allocate(4 * values.length);
    IntStream.of(values).forEach(b::putInt);
    return b.array();
  }

  /** A record of an address and values of four bytes. */
  private static byte[] record(int id, int... values) {
    ByteBuffer b = ByteBuffer.allocate(4 + 4 * values.length).putInt(0x0A000001);
    return set(id, b.put(ints(values)).array());
  }

  /** Options of one scope and one element 34, both of four bytes. */
  private byte[] options(int id, int scope) {
    return version == 9
        ? set(1, shorts(id, 4, 4, scope, 4, 34, 4))
        : set(3, shorts(id, 2, 1, scope, 4, 34, 4));
  }

  private void tell(int port, int domain, int scope, int of, int rate) {
    send(port, domain, options(400, scope), set(400, ints(of, rate)));
  }

  private void tellSampler(int port, int domain, int sampler, int rate) {
    byte[] template = set(1, shorts(401, 0, 8, SAMPLER, 4, 34, 4));
    byte[] ipfix = set(3, shorts(401, 2, 1, SAMPLER, 4, 34, 4));
    send(port, domain, version == 9 ? template : ipfix, set(401, ints(sampler, rate)));
  }

  /** Rate of the last row; 0 if unknown. */
  private int rate() {
    int row = rows.block.rows() - 1;
    boolean isKnown = rows.block.ints(FlowColumn.SAMPLING_SOURCE)[row] != 0;
    return isKnown ? rows.block.ints(FlowColumn.SAMPLING_RATE)[row] : 0;
  }

  private void restore() {
    BlockBuffer state = new BlockBuffer(64);
    decoder.snapshot(state);
    decoder =
        NetflowDecoder.restore(
            new BlockInput(state.bytes(), 0, state.length()), NetflowConfig.DEFAULT);
    BlockBuffer again = new BlockBuffer(64);
    decoder.snapshot(again);
    assertThat(again.toBytes()).isEqualTo(state.toBytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 10})
  void samplersOfAnotherPortHold(int ofVersion) {
    version = ofVersion;
    send(A, 7, template(300, SAMPLER));
    tellSampler(B, 7, 1, 1000);
    send(A, 7, record(300, 1));
    assertThat(rate()).isEqualTo(1000);
    restore();
    send(A, 7, record(300, 1));
    assertThat(rate()).isEqualTo(1000);
    send(A, 7, record(300, 2));
    assertThat(rate()).isZero();
    send(2, A, 7, template(300, SAMPLER), record(300, 1));
    assertThat(rate()).as("another device").isZero();
  }

  @Test
  void theOwnWordWinsAndTheNewestOfTheOthers() {
    send(A, 7, template(300, SAMPLER));
    tellSampler(B, 7, 1, 1000);
    tellSampler(B + 1, 7, 1, 2000);
    send(A, 7, record(300, 1));
    assertThat(rate()).isEqualTo(2000);
    restore();
    tellSampler(B, 7, 1, 1000);
    send(A, 7, record(300, 1));
    assertThat(rate()).isEqualTo(1000);
    tellSampler(A, 7, 1, 500);
    tellSampler(B, 7, 1, 3000);
    send(A, 7, record(300, 1));
    assertThat(rate()).isEqualTo(500);
  }

  @Test
  void otherDomainsHoldWhereTheyAgree() {
    send(A, 256, template(260, SAMPLER));
    tellSampler(A, 6, 1, 100);
    send(A, 256, record(260, 1));
    assertThat(rate()).isEqualTo(100);
    tellSampler(B, 8, 1, 100);
    send(A, 256, record(260, 1));
    assertThat(rate()).isEqualTo(100);
    tellSampler(B, 8, 1, 200);
    send(A, 256, record(260, 1));
    assertThat(rate()).isZero();
    tellSampler(B, 256, 1, 300);
    send(A, 256, record(260, 1));
    assertThat(rate()).isEqualTo(300);
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 10})
  void templatesOfAnotherPortHoldUntilThereIsAnOwn(int ofVersion) {
    version = ofVersion;
    send(B, 7, template(300, IN));
    send(A, 7, record(300, 5));
    assertThat(rows.block.ints(FlowColumn.IN_IF)[0]).isEqualTo(5);
    restore();
    send(A, 7, template(300, OUT), record(300, 5));
    send(B, 7, template(300, IN), record(300, 6));
    send(A, 7, record(300, 7));
    assertThat(rows.block.rows()).isEqualTo(4);
    assertThat(NetflowRows.text(rows.block, FlowColumn.IN_IF, 3)).isEqualTo("-");
    assertThat(rows.block.ints(FlowColumn.OUT_IF)[3]).isEqualTo(7);
    send(A, 8, record(300, 7));
    assertThat(rows.block.rows()).as("of another domain").isEqualTo(4);
    assertThat(rows.notes.held).isPositive();
  }

  @Test
  void dataThatWaitsIsReadByTheTemplateOfAnotherPort() {
    send(A, 7, record(300, 5));
    restore();
    send(B, 7, template(300, IN));
    assertThat(rows.block.rows()).isEqualTo(1);
    assertThat(decoder.heldBytes()).isZero();
    assertThat(decoder.sessions()).isEqualTo(1);
  }

  @Test
  void optionsByTheTemplateOfAnotherPortAreReported() {
    send(B, 7, options(400, 1));
    send(A, 7, set(400, ints(0, 50)));
    send(A, 7, template(300, IN), record(300, 5));
    assertThat(rate()).isEqualTo(50);
  }

  @Test
  void systemInitOfAnotherPortHolds() {
    version = 10;
    byte[] started =
        ByteBuffer.allocate(12).putInt(7).putLong(Messages.UNIX * 1000L - 5000).array();
    send(B, 7, set(3, shorts(259, 2, 1, 144, 4, 160, 8)), set(259, started));
    send(A, 7, template(300, 22), record(300, 1000));
    assertThat(rows.block.longs(FlowColumn.FLOW_START)[0])
        .isEqualTo((Messages.UNIX - 4) * 1_000_000L);
  }

  /**
   * Scope, id and domain of the options; interfaces, direction and line card of the record; rate.
   */
  @ParameterizedTest
  @CsvSource({
    "1, 0, 7, 3, 4, , 0, 100", // system
    "1, 0, 8, 3, 4, , 0, 100", // another domain
    "2, 3, 7, 3, 4, , 0, 100", // interface
    "2, 3, 8, 3, 4, , 0, 100",
    "2, 4, 7, 3, 4, , 0, 100",
    "2, 4, 7, 3, 4, 0, 0, 0", // another ingress interface
    "2, 4, 7, 3, 4, 1, 0, 100",
    "2, 3, 7, 3, 4, 1, 0, 0",
    "2, 5, 7, 3, 4, , 0, 0",
    "2, 0, 7, 3, 4, , 0, 100", // interface 0: softflowd's whole host
    "3, 2, 7, 3, 4, , 2, 100", // line card
    "3, 2, 8, 3, 4, , 2, 100",
    "3, 2, 7, 3, 4, , 1, 0",
    "4, 1, 7, 3, 4, , 0, 100", // cache
    "4, 1, 8, 3, 4, , 0, 0",
    "5, 300, 7, 3, 4, , 0, 100", // template
    "5, 300, 8, 3, 4, , 0, 0",
    "5, 301, 7, 3, 4, , 0, 0",
  })
  void aRateHoldsForItsScopeOnly(
      int scope, int of, int domain, int in, int out, Integer way, int card, int expected) {
    tell(B, domain, scope, of, 100);
    if (way == null) {
      send(A, 7, template(300, IN, OUT, CARD), record(300, in, out, card));
    } else {
      send(A, 7, template(300, IN, OUT, CARD, 61), record(300, in, out, card, way));
    }
    assertThat(rate()).isEqualTo(expected);
    restore();
    tell(B, domain, 1, 0, 7_000);
    send(A, 7, record(300, in, out, card, way == null ? 0 : way));
    assertThat(rate()).as("the narrowest").isEqualTo(expected == 0 || of == 0 ? 7_000 : 100);
  }

  @Test
  void aLineCardIsThatOfTheSourceIdWhereRecordsNameNone() {
    tell(B, 0, 3, 2, 100);
    send(A, 0x0102, template(300, IN), record(300, 1));
    assertThat(rate()).isEqualTo(100);
    send(A, 0x0103, template(300, IN), record(300, 1));
    assertThat(rate()).isZero();
  }

  @Test
  void severalCachesGiveNoRate() {
    tell(A, 7, 4, 1, 100);
    tell(A, 7, 4, 2, 200);
    send(A, 7, template(300, IN), record(300, 1));
    assertThat(rate()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "144, 1, 7, 100", // exporting process
    "149, 7, 7, 100", // observation domain
    "149, 0, 8, 100",
    "149, 8, 7, 0",
    "149, 8, 8, 100",
    "10, 3, 8, 100", // ingressInterface
    "10, 4, 8, 0",
    "14, 4, 8, 100",
    "14, 3, 8, 0",
    "145, 300, 7, 100",
    "145, 301, 7, 0",
    "138, 1, 7, 0", // observation point, which no record has
  })
  void scopesOfIpfixAreElements(int scope, int of, int domain, int expected) {
    version = 10;
    tell(B, 7, scope, of, 100);
    send(A, domain, template(300, IN, OUT), record(300, 3, 4));
    assertThat(rate()).isEqualTo(expected);
  }

  @Test
  void theOnlySamplerIsThatOfRecordsThatNameNone() {
    tellSampler(B, 9, 1, 10_922);
    send(A, 7, template(300, IN), template(301, SAMPLER), record(300, 3));
    assertThat(rate()).isEqualTo(10_922);
    send(A, 7, record(301, 2));
    assertThat(rate()).as("of another sampler").isZero();
    tellSampler(B, 9, 2, 5);
    send(A, 7, record(300, 3));
    assertThat(rate()).as("of two").isZero();
    tell(B, 7, 1, 0, 64);
    send(A, 7, record(300, 3));
    assertThat(rate()).as("of the system").isEqualTo(64);
  }

  @Test
  void manySessionsOfADeviceKeepToTheBounds() {
    for (int port = 1; port < 5_000; port++) {
      tellSampler(port, port % 50, port, 1 + port);
    }
    assertThat(decoder.sessions())
        .isLessThanOrEqualTo(NetflowConfig.DEFAULT.share(NetflowConfig.DEFAULT.maxSessions()));
    restore();
    send(2, A, 7, template(300, SAMPLER));
    send(2, A, 7, record(300, 4_999));
    assertThat(rate()).isZero();
    send(A, 7, template(300, SAMPLER), record(300, 4_999));
    assertThat(rate()).isEqualTo(5_000);
  }

  @Test
  void aTemplateThatIsWithdrawnIsLentNoLonger() {
    version = 10;
    send(B, 7, template(300, IN));
    send(B, 7, set(2, shorts(300, 0)));
    send(A, 7, record(300, 5));
    assertThat(rows.block.rows()).isZero();
    assertThat(decoder.sessions()).isEqualTo(1);
  }
}
