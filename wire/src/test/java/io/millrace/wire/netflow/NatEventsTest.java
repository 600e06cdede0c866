package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.bytes;
import static io.millrace.wire.netflow.Messages.ipfix;
import static io.millrace.wire.netflow.Messages.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.nat.NatEvents;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** NAT events become rows of their own table, and traffic stays flows. */
class NatEventsTest {
  private static final long SENT = Messages.UNIX * 1_000_000L;

  private final NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
  private final FlowBlock flows = new FlowBlock(4);
  private final TableBlock events = new TableBlock(NatEvents.SCHEMA, 1);
  private final List<String> rejects = new ArrayList<>();
  private final Observations observer =
      new Observations() {
        @Override
        public void reject(RejectReason reason, int offset) {
          rejects.add(reason.label());
        }

        @Override
        public TableBlock natEvents() {
          return events;
        }
      };

  /** A field of a record: enterprise, element, length in the template, and its bytes. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Field(int enterprise, int element, int length, byte[] value) {}

  private static Field number(int element, int length, long value) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[length - 1 - i] = (byte) (value >> (8 * i));
    }
    return new Field(0, element, length, bytes);
  }

  private static Field ip(int element, int... address) {
    return new Field(0, element, address.length, bytes(address));
  }

  private static Field text(int enterprise, int element, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    byte[] value = ByteBuffer.allocate(1 + utf8.length).put((byte) utf8.length).put(utf8).array();
    return new Field(enterprise, element, NetflowLayout.VARIABLE_LENGTH, value);
  }

  private static Field padded(int element, String text, int length) {
    byte[] value = new byte[length];
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(utf8, 0, value, 0, utf8.length);
    return new Field(0, element, length, value);
  }

  private void record(Field... fields) {
    ByteBuffer template = ByteBuffer.allocate(500);
    ByteBuffer record = ByteBuffer.allocate(500);
    template.putShort((short) 256).putShort((short) fields.length);
    for (Field field : fields) {
      boolean isIana = field.enterprise == 0;
      template.putShort((short) (isIana ? field.element : field.element | 0x8000));
      template.putShort((short) field.length);
      if (!isIana) {
        template.putInt(field.enterprise);
      }
      record.put(field.value);
    }
    decode(ipfix(0, set(2, all(template)), set(256, all(record))));
  }

  private void decode(byte[] datagram) {
    long low = Addresses.v4Low(0xC0000201);
    decoder.decode(datagram, 0, datagram.length, SENT, 0, low, 4739, flows, observer);
  }

  private static byte[] all(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.position()];
    buffer.flip().get(bytes);
    return bytes;
  }

  /** Values of these columns for each event. */
  private List<String> events(String... columns) {
    return IntStream.range(0, events.rows())
        .mapToObj(
            row ->
                List.of(columns).stream()
                    .map(each -> events.text(row, NatEvents.SCHEMA.indexOf(each)))
                    .map(String::valueOf)
                    .collect(Collectors.joining(" ")))
        .toList();
  }

  @Test
  void portBlockIsAnEventAndNoFlow() {
    record(
        number(323, 8, SENT / 1000 - 500),
        number(230, 1, 16),
        ip(8, 100, 64, 0, 1),
        ip(225, 192, 0, 2, 9),
        number(361, 2, 1024),
        number(362, 2, 1087),
        number(234, 4, 3));
    assertThat(flows.rows()).isZero();
    assertThat(
            events(
                "time",
                "exporter",
                "event",
                "nat_event",
                "inside",
                "inside_port",
                "outside",
                "outside_port",
                "outside_port_end",
                "port_step",
                "proto",
                "vrf",
                "subscriber"))
        .containsExactly(
            (SENT - 500_000)
                + " 192.0.2.1 allocate 16 100.64.0.1 null 192.0.2.9 1024 1087 null null 3 null");
    assertThat(rejects).isEmpty();
  }

  @Test
  void portBlockByStepAndNumberOfPorts() {
    record(
        number(230, 1, 1),
        ip(8, 100, 64, 0, 1),
        ip(225, 192, 0, 2, 9),
        number(361, 2, 1024),
        number(363, 2, 4),
        number(364, 2, 64));
    assertThat(events("event", "outside_port", "outside_port_end", "port_step"))
        .containsExactly("create 1024 1276 4");
  }

  @Test
  void impossibleBlocksStayWithinPorts() {
    record(number(230, 1, 16), number(361, 4, 65_000), number(364, 4, 0xFFFF_FFFFL));
    record(number(230, 1, 16), number(361, 2, 2_000), number(362, 2, 1_000));
    record(number(230, 1, 16), number(361, 4, 70_000), number(362, 4, 70_001));
    assertThat(events("outside_port", "outside_port_end"))
        .containsExactly("65000 65535", "2000 2000", "null null");
  }

  @Test
  void sessionIsOfItsProtocolAndDestination() {
    record(
        number(230, 1, 4),
        ip(8, 10, 0, 0, 1),
        ip(225, 192, 0, 2, 9),
        number(7, 2, 50_000),
        number(227, 2, 4711),
        ip(12, 203, 0, 113, 5),
        number(11, 2, 443),
        number(4, 1, 6),
        text(0, 371, "alice"));
    assertThat(
            events(
                "event",
                "inside",
                "inside_port",
                "outside",
                "outside_port",
                "outside_port_end",
                "proto",
                "dst_addr",
                "dst_port",
                "subscriber"))
        .containsExactly("create 10.0.0.1 50000 192.0.2.9 4711 4711 6 203.0.113.5 443 alice");
  }

  @Test
  void subscriberOfVendorsAndOfFixedLength() {
    record(number(230, 1, 17), ip(225, 192, 0, 2, 9), text(637, 93, "sub-7"));
    record(number(230, 1, 17), padded(371, "bob", 20), ip(225, 192, 0, 2, 9));
    assertThat(events("event", "subscriber")).containsExactly("release sub-7", "release bob");
  }

  @Test
  void eventOfFirewallWithTrafficIsBoth() {
    Field[] fields = {
      ip(8, 10, 0, 0, 1),
      ip(12, 203, 0, 113, 5),
      ip(225, 192, 0, 2, 9),
      number(227, 2, 4711),
      number(233, 1, 2),
      number(231, 4, 1_000),
      number(232, 4, 9_000)
    };
    record(fields);
    assertThat(flows.rows()).isEqualTo(2);
    assertThat(flows.longs(FlowColumn.BYTES)).startsWith(1_000, 9_000);
    assertThat(flows.ints(FlowColumn.NAT_SRC_PORT)[0]).isEqualTo(4711);
    assertThat(events("event", "nat_event", "outside", "outside_port"))
        .containsExactly("delete null 192.0.2.9 4711");
    fields[4] = number(233, 1, NatEvents.FIREWALL_UPDATE);
    record(fields);
    assertThat(flows.rows()).isEqualTo(4);
    assertThat(events.rows()).isOne();
  }

  @Test
  void eventOfFirewallWithoutTrafficIsNoFlow() {
    record(
        ip(8, 10, 0, 0, 1),
        ip(12, 203, 0, 113, 5),
        ip(225, 10, 0, 0, 1),
        number(233, 1, 1),
        number(231, 4, 0),
        number(232, 4, 0));
    record(ip(8, 10, 0, 0, 1), ip(12, 203, 0, 113, 5), number(233, 1, 3));
    assertThat(flows.rows()).isZero();
    assertThat(flows.has(FlowColumn.NAT_SRC_ADDR)).as("took the row back").isTrue();
    assertThat(flows.addressLow(FlowColumn.NAT_SRC_ADDR)[0]).isEqualTo(Addresses.NULL);
    assertThat(events("event")).containsExactly("create", "deny");
  }

  @Test
  void firewallThatTranslatesNothingHasNoOutside() {
    Field[] fields = {
      ip(8, 10, 0, 0, 1),
      number(7, 2, 5),
      ip(225, 10, 0, 0, 1),
      number(227, 2, 5),
      number(233, 1, 1),
      number(231, 4, 0)
    };
    record(fields);
    fields[4] = number(233, 1, 2);
    fields[5] = number(231, 4, 60);
    record(fields);
    assertThat(events("event", "inside", "outside", "outside_port"))
        .containsExactly("create 10.0.0.1 null null");
    fields[3] = number(227, 2, 6);
    record(fields);
    assertThat(events("event", "outside", "outside_port").get(1)).isEqualTo("delete 10.0.0.1 6");
    assertThat(flows.rows()).isEqualTo(2);
  }

  @Test
  void trafficThatAFirewallSeesStaysAFlow() {
    Field[] traffic = {
      ip(8, 10, 0, 0, 1), ip(12, 10, 0, 0, 2), number(1, 4, 60), number(233, 1, 2)
    };
    record(traffic);
    traffic[3] = number(233, 1, 0);
    record(traffic);
    assertThat(flows.rows()).isEqualTo(2);
    assertThat(events.rows()).isZero();
  }

  @Test
  void translationWithoutCountsIsAnEventOfNoName() {
    record(
        number(234, 4, 1),
        ip(8, 10, 0, 0, 1),
        number(7, 2, 5),
        ip(225, 192, 0, 2, 9),
        number(227, 2, 6));
    record(ip(8, 10, 0, 0, 1), ip(225, 192, 0, 2, 9), number(361, 2, 64), number(362, 2, 127));
    assertThat(flows.rows()).isZero();
    assertThat(events("event", "inside_port", "outside_port", "outside_port_end"))
        .containsExactly("translation 5 6 6", "translation null 64 127");
  }

  @Test
  void theCalledHostIsInside() {
    record(
        number(230, 1, 4),
        ip(8, 203, 0, 113, 5),
        number(7, 2, 40_000),
        ip(12, 192, 0, 2, 9),
        number(11, 2, 443),
        ip(226, 10, 0, 0, 1),
        number(228, 2, 8443));
    assertThat(events("inside", "inside_port", "outside", "outside_port", "dst_addr", "dst_port"))
        .containsExactly("10.0.0.1 8443 192.0.2.9 443 203.0.113.5 40000");
  }

  @Test
  void timeOfAWrongClockIsThatOfArrival() {
    record(number(323, 8, SENT / 1000 - 200_000_000L), number(230, 1, 12), ip(225, 192, 0, 2, 9));
    assertThat(events("time", "event")).containsExactly(SENT + " ports exhausted");
  }

  @Test
  void eventsThatWaitForTheirTemplateComeWithIt() {
    decode(ipfix(0, set(256, bytes(16, 192, 0, 2, 9))));
    assertThat(events.rows()).isZero();
    decode(ipfix(1, set(2, Messages.shorts(256, 2, 230, 1, 225, 4))));
    assertThat(events("event", "outside")).containsExactly("allocate 192.0.2.9");
    assertThat(flows.rows()).isZero();
  }
}
