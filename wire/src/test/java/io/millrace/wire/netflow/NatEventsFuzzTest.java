package io.millrace.wire.netflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.fuzz.FuzzTime;
import io.millrace.wire.nat.NatEvents;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/**
 * NAT events and elements that imply others or describe the other direction, in any combination: no
 * exception, no byte read outside the datagram, and only possible events.
 */
class NatEventsFuzzTest {
  private static final int TURNS = 3_000;
  private static final long NOW = Messages.UNIX * 1_000_000L;
  private static final long DAY = 86_400_000_000L;

  /** Enterprise and element of elements that affect more than their own column. */
  private static final int[][] ELEMENTS = {
    {0, 230},
    {0, 233},
    {0, 361},
    {0, 362},
    {0, 363},
    {0, 364},
    {0, 371},
    {0, 234},
    {0, 323},
    {0, 8},
    {0, 12},
    {0, 27},
    {0, 28},
    {0, 225},
    {0, 226},
    {0, 227},
    {0, 228},
    {0, 281},
    {0, 282},
    {0, 7},
    {0, 11},
    {0, 4},
    {0, 1},
    {0, 2},
    {0, 231},
    {0, 232},
    {0, 298},
    {0, 299},
    {0, 32},
    {0, 139},
    {0, 176},
    {0, 177},
    {0, 195},
    {0, 95},
    {0, 61},
    {0, 239},
    {0, 10},
    {0, 14},
    {9, 12236},
    {9, 12237},
    {9, 12240},
    {9, 12241},
    {9, 8337},
    {9, 8338},
    {9, 12232},
    {29305, 1},
    {29305, 2},
    {29305, 6},
    {29305, 10},
    {29305, 152},
    {29305, 153},
    {29305, 61},
    {2636, 137},
    {637, 91},
    {22610, 20},
  };

  private final NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
  private final NetflowDecoder among = new NetflowDecoder(NetflowConfig.DEFAULT);

  @RepeatedTest(3)
  void takesAnyRecords(RepetitionInfo repetition) {
    Consumer<Random> turn =
        random -> {
          byte[] bytes = message(random);
          FlowBlock flows = new FlowBlock(1);
          TableBlock events = new TableBlock(NatEvents.SCHEMA, 1);
          decode(decoder, bytes, 0, bytes.length, flows, events);
          check(events, bytes.length);
          for (int row = 0; row < flows.rows(); row++) {
            assertThat(flows.longs(FlowColumn.TIME)[row]).isEqualTo(NOW);
          }
          byte[] surrounded = new byte[bytes.length + 128];
          random.nextBytes(surrounded);
          System.arraycopy(bytes, 0, surrounded, 64, bytes.length);
          FlowBlock otherFlows = new FlowBlock(1);
          TableBlock otherEvents = new TableBlock(NatEvents.SCHEMA, 1);
          decode(among, surrounded, 64, bytes.length, otherFlows, otherEvents);
          assertThat(otherFlows.rows()).isEqualTo(flows.rows());
          assertThat(text(otherEvents)).isEqualTo(text(events));
        };
    FuzzTime.run("nat events", repetition.getCurrentRepetition(), TURNS, turn);
  }

  private static void decode(
      NetflowDecoder decoder,
      byte[] bytes,
      int offset,
      int length,
      FlowBlock flows,
      TableBlock events) {
    long low = Addresses.v4Low(0xC0000201);
    Observations observer =
        new Observations() {
          @Override
          public void reject(RejectReason reason, int at) {
            assertThat(at).isBetween(0, length);
          }

          @Override
          public TableBlock natEvents() {
            return events;
          }
        };
    decoder.decode(bytes, offset, length, NOW, 0, low, 4739, flows, observer);
  }

  private static void check(TableBlock events, int bytes) {
    assertThat(events.rows()).isLessThanOrEqualTo(bytes);
    for (int row = 0; row < events.rows(); row++) {
      assertThat(number(events, "time", row)).isBetween(NOW - DAY, NOW + DAY);
      for (String port : new String[] {"inside_port", "outside_port", "outside_port_end"}) {
        assertThat(number(events, port, row))
            .as(port)
            .satisfiesAnyOf(
                NatEventsFuzzTest::isNull, value -> assertThat(value).isBetween(0L, 65_535L));
      }
      long first = number(events, "outside_port", row);
      assertThat(number(events, "outside_port_end", row)).isGreaterThanOrEqualTo(first);
      assertThat(events.text(row, NatEvents.SCHEMA.indexOf("event"))).isNotBlank();
      String subscriber = events.text(row, NatEvents.SCHEMA.indexOf("subscriber"));
      assertThat(subscriber == null ? 0 : subscriber.length()).isLessThanOrEqualTo(256);
    }
  }

  private static void isNull(long value) {
    assertThat(value).isEqualTo(TableBlock.NULL);
  }

  private static long number(TableBlock events, String column, int row) {
    return events.longs(NatEvents.SCHEMA.indexOf(column))[row];
  }

  private static String text(TableBlock events) {
    StringBuilder text = new StringBuilder();
    for (int row = 0; row < events.rows(); row++) {
      for (int i = 0; i < NatEvents.SCHEMA.size(); i++) {
        text.append(events.text(row, i)).append(' ');
      }
    }
    return text.toString();
  }

  /** A template of some of these elements and records of it, occasionally with a broken byte. */
  private static byte[] message(Random random) {
    ByteBuffer template = ByteBuffer.allocate(400);
    int fields = 1 + random.nextInt(12);
    int id = 256 + random.nextInt(4);
    boolean isIpfix = random.nextInt(4) > 0;
    template.putShort((short) id).putShort((short) fields);
    for (int i = 0; i < fields; i++) {
      int[] element = ELEMENTS[random.nextInt(ELEMENTS.length)];
      boolean isOwn = element[0] == 0 || !isIpfix;
      template.putShort((short) (isOwn ? element[1] : element[1] | 0x8000));
      template.putShort((short) length(random, isIpfix));
      if (!isOwn) {
        template.putInt(element[0]);
      }
    }
    byte[] data = new byte[random.nextInt(300)];
    random.nextBytes(data);
    for (int i = 0; i < data.length; i++) {
      data[i] = random.nextInt(3) == 0 ? (byte) random.nextInt(20) : data[i];
    }
    byte[] layout = Arrays.copyOf(template.array(), template.position());
    byte[] bytes =
        isIpfix
            ? Messages.ipfix(random.nextInt(), Messages.set(2, layout), Messages.set(id, data))
            : Messages.v9(Messages.set(0, layout), Messages.set(id, data));
    for (int n = random.nextInt(3); n > 0; n--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    return random.nextInt(10) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
  }

  private static int length(Random random, boolean isIpfix) {
    if (isIpfix && random.nextInt(6) == 0) {
      return NetflowLayout.VARIABLE_LENGTH;
    }
    return new int[] {1, 2, 4, 4, 8, 16, 3}[random.nextInt(7)];
  }
}
