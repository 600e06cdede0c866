package io.millrace.wire.sflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Sampled packet headers, assembled layer by layer together with the expected values: Ethernet,
 * VLAN tags, MPLS labels, IP of both versions with options and extension headers, and transport
 * headers, complete or truncated.
 */
class SflowRawHeaderPropertyTest {
  private static final int ICMP = 1;
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int ICMPV6 = 58;
  private static final int OSPF = 89;
  private static final int[] TAGS = {0x8100, 0x88A8, 0x9100};
  private static final int CAPACITY = 512;

  private final FlowBlock expected = new FlowBlock(1);
  private final FlowBlock found = new FlowBlock(1);
  private final ByteBuffer packet = ByteBuffer.allocate(CAPACITY);
  private Random random = new Random(0);
  private int ipAt;
  private int transportAt;

  @Property(tries = 3_000)
  void columnsEqualTheHeaders(@ForAll long seed) {
    random = new Random(seed);
    packet();
    decode(packet.position());
    assertThat(SflowRows.text(found)).isEqualTo(SflowRows.text(expected));
  }

  @Property(tries = 2_000)
  void aTruncatedHeaderLosesOnlyWhatFollows(@ForAll long seed) {
    random = new Random(seed);
    packet();
    int version = packet.get(ipAt) >>> 4;
    int addresses = ipAt + (version == 4 ? 20 : 40);
    int length = addresses + random.nextInt(packet.position() - addresses + 1);
    int left = length - transportAt;
    boolean hasPorts = expected.ints(FlowColumn.TCP_FLAGS)[0] != FlowBlock.NULL;
    int protocol = expected.ints(FlowColumn.PROTO)[0];
    hasPorts |= protocol == UDP;
    if (left < (hasPorts ? 2 : 1)) {
      set(FlowColumn.SRC_PORT, FlowBlock.NULL);
    }
    if (left < (hasPorts ? 4 : 2)) {
      set(FlowColumn.DST_PORT, FlowBlock.NULL);
    }
    if (left < 14) {
      set(FlowColumn.TCP_FLAGS, FlowBlock.NULL);
    }
    decode(length);
    if (left < 0) { // within extension headers, the upper protocol may be unknown
      found.ints(FlowColumn.PROTO)[0] = protocol;
    }
    assertThat(SflowRows.text(found)).isEqualTo(SflowRows.text(expected));
  }

  @Property(tries = 500)
  void withoutBothAddressesThereIsNoFlow(@ForAll long seed) {
    random = new Random(seed);
    packet();
    int addresses = ipAt + (packet.get(ipAt) >>> 4 == 4 ? 20 : 40);
    decode(random.nextInt(addresses));
    assertThat(found.rows()).isZero();
  }

  private void decode(int headerLength) {
    SflowEncoder encoder = new SflowEncoder(64);
    encoder.begin(0, Addresses.v4Low(4), 0, 1, 1);
    encoder.flowSample(1, 0, 1, 100, 100, 0, 5, 0, 6);
    byte[] header = Arrays.copyOf(packet.array(), headerLength);
    encoder.rawHeader(
        SflowLayout.PROTOCOL_ETHERNET, packet.position() + 4, 4, header, 0, headerLength);
    found.rows(0);
    new SflowDecoder()
        .decode(
            encoder.bytes(),
            0,
            encoder.length(),
            1,
            2,
            3,
            found,
            new CounterBlock(1),
            (reason, offset) -> assertThat(reason.malformed()).isFalse());
  }

  private void packet() {
    Arrays.fill(packet.array(), (byte) 0);
    packet.clear();
    expected.longs(FlowColumn.TIME)[0] = 1;
    expected.addressHigh(FlowColumn.EXPORTER)[0] = 2;
    expected.addressLow(FlowColumn.EXPORTER)[0] = 3;
    expected.longs(FlowColumn.PACKETS)[0] = 1;
    set(FlowColumn.SAMPLING_RATE, 100);
    set(FlowColumn.IN_IF, 5);
    set(FlowColumn.OUT_IF, 6);
    set(FlowColumn.OUT_IF_FORMAT, 0);
    for (FlowColumn none :
        new FlowColumn[] {
          FlowColumn.SRC_VLAN,
          FlowColumn.DST_VLAN,
          FlowColumn.EXPORTER_SRC_AS,
          FlowColumn.EXPORTER_DST_AS,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.TCP_FLAGS
        }) {
      set(none, FlowBlock.NULL);
    }
    expected.addressHigh(FlowColumn.NEXT_HOP)[0] = Addresses.NULL;
    expected.addressLow(FlowColumn.NEXT_HOP)[0] = Addresses.NULL;
    expected.rows(1);
    boolean v4 = random.nextBoolean();
    link(v4 ? 0x0800 : 0x86DD);
    ipAt = packet.position();
    int upper = new int[] {TCP, UDP, v4 ? ICMP : ICMPV6, OSPF}[random.nextInt(4)];
    set(FlowColumn.PROTO, upper);
    set(FlowColumn.ETHER_TYPE, v4 ? 0x0800 : 0x86DD);
    if (v4) {
      ipv4(upper);
    } else {
      ipv6(upper);
    }
    transportAt = packet.position();
    transport(upper);
    int length = packet.position() - ipAt;
    expected.longs(FlowColumn.BYTES)[0] = length;
    if (v4) {
      packet.putShort(ipAt + 2, (short) length);
    } else {
      packet.putShort(ipAt + 4, (short) (length - 40));
    }
  }

  private void set(FlowColumn column, int value) {
    expected.ints(column)[0] = value;
  }

  /** Ethernet, up to three tags (the first other than 0 is expected), up to three labels. */
  private void link(int type) {
    packet.putLong(random.nextLong()).putInt(random.nextInt());
    int tags = random.nextInt(4);
    for (int i = 0; i < tags; i++) {
      int control = random.nextInt(1 << 16);
      packet.putShort((short) TAGS[random.nextInt(TAGS.length)]).putShort((short) control);
      if (i == 0 || expected.ints(FlowColumn.SRC_VLAN)[0] == 0) {
        set(FlowColumn.SRC_VLAN, control & 0xFFF);
      }
    }
    int labels = random.nextInt(4);
    packet.putShort((short) (labels == 0 ? type : 0x8847));
    for (int i = 1; i <= labels; i++) {
      int bottom = 1 << 8;
      packet.putInt(i == labels ? random.nextInt() | bottom : random.nextInt() & ~bottom);
    }
  }

  private void ipv4(int upper) {
    int options = random.nextInt(11);
    int tos = random.nextInt(256);
    set(FlowColumn.TOS, tos);
    packet.put((byte) (0x45 + options)).put((byte) tos).putShort((short) 0);
    packet.putShort((short) random.nextInt()).putShort((short) (random.nextInt(8) << 13));
    packet.put((byte) random.nextInt()).put((byte) upper).putShort((short) random.nextInt());
    for (FlowColumn column : new FlowColumn[] {FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR}) {
      int address = random.nextInt();
      expected.addressHigh(column)[0] = 0;
      expected.addressLow(column)[0] = Addresses.v4Low(address);
      packet.putInt(address);
    }
    for (int i = 0; i < options; i++) {
      packet.putInt(random.nextInt());
    }
  }

  private void ipv6(int upper) {
    int trafficClass = random.nextInt(256);
    set(FlowColumn.TOS, trafficClass);
    packet.putInt(6 << 28 | trafficClass << 20 | random.nextInt(1 << 20)).putShort((short) 0);
    int[] extensions = random.ints(random.nextInt(3), 0, 4).toArray();
    int[] numbers = {0, 43, 60, 44}; // hop-by-hop, routing, destination options, fragment
    packet.put((byte) (extensions.length == 0 ? upper : numbers[extensions[0]]));
    packet.put((byte) random.nextInt());
    for (FlowColumn column : new FlowColumn[] {FlowColumn.SRC_ADDR, FlowColumn.DST_ADDR}) {
      // Not in the prefix of IPv4 addresses.
      long high = random.nextLong() | 1L << 61;
      long low = random.nextLong();
      expected.addressHigh(column)[0] = high;
      expected.addressLow(column)[0] = low;
      packet.putLong(high).putLong(low);
    }
    for (int i = 0; i < extensions.length; i++) {
      boolean isLast = i == extensions.length - 1;
      packet.put((byte) (isLast ? upper : numbers[extensions[i + 1]]));
      if (numbers[extensions[i]] == 44) {
        packet.put((byte) 0).putShort((short) 1).putInt(random.nextInt()); // the first of more
      } else {
        int units = random.nextInt(3);
        packet.put((byte) units);
        packet.position(packet.position() + 6 + 8 * units);
      }
    }
  }

  private void transport(int upper) {
    int first = random.nextInt(1 << 16);
    int second = random.nextInt(1 << 16);
    if (upper == TCP || upper == UDP) {
      set(FlowColumn.SRC_PORT, first);
      set(FlowColumn.DST_PORT, second);
    } else if (upper != OSPF) {
      set(FlowColumn.SRC_PORT, first >>> 8);
      set(FlowColumn.DST_PORT, first & 0xFF);
    }
    packet.putShort((short) first).putShort((short) second);
    packet.putLong(random.nextLong());
    int flags = random.nextInt(1 << 12);
    packet.putShort((short) (5 << 12 | flags)).putShort((short) random.nextInt());
    packet.putInt(random.nextInt());
    if (upper == TCP) {
      set(FlowColumn.TCP_FLAGS, flags);
    }
    packet.position(packet.position() + random.nextInt(100));
  }
}
