package io.millrace.wire.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.sflow.SflowEncoder;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DatagramHeadTest {
  private static final int UNIX = 1_700_000_000;
  private static final int PORT = 5_000;

  private final DatagramHead head = new DatagramHead();

  @Test
  void readsSflow() {
    assertThat(read(sflow())).isEqualTo(ExportProtocol.SFLOW);
    assertThat(head.agentHigh()).isZero();
    assertThat(head.agentLow()).isEqualTo(Addresses.v4Low(0x0A000001));
    assertThat(head.channel(PORT)).isEqualTo(Channel.of(ExportProtocol.SFLOW, 0, 2));
    assertThat(head.sequence()).isEqualTo(77);
    assertThat(head.uptimeMillis()).isEqualTo(1_234);
    assertThat(head.countsDatagrams()).isTrue();
    assertThat(head.exportMicros()).isZero();
  }

  @Test
  void readsNetflow5() {
    assertThat(read(netflow5())).isEqualTo(ExportProtocol.NETFLOW5);
    assertThat(head.channel(PORT)).isEqualTo(Channel.of(ExportProtocol.NETFLOW5, PORT, 0x0102));
    assertThat(head.sequence()).isEqualTo(-3);
    assertThat(head.uptimeMillis()).isEqualTo(1_234);
    assertThat(head.netflow5Records()).isEqualTo(1);
    assertThat(head.countsDatagrams()).isFalse();
    assertThat(head.exportMicros()).isEqualTo(UNIX * 1_000_000L + 5_000);
    assertThat(head.agentLow()).isEqualTo(Addresses.NULL);
  }

  @Test
  void readsNetflow9() {
    assertThat(read(netflow9())).isEqualTo(ExportProtocol.NETFLOW9);
    assertThat(head.channel(PORT)).isEqualTo(Channel.of(ExportProtocol.NETFLOW9, PORT, 7));
    assertThat(head.sequence()).isEqualTo(42);
    assertThat(head.uptimeMillis()).isEqualTo(1_234);
    assertThat(head.countsDatagrams()).isTrue();
    assertThat(head.exportMicros()).isEqualTo(UNIX * 1_000_000L);
  }

  @Test
  void readsIpfix() {
    assertThat(read(ipfix())).isEqualTo(ExportProtocol.IPFIX);
    assertThat(head.channel(PORT)).isEqualTo(Channel.of(ExportProtocol.IPFIX, PORT, 7));
    assertThat(head.sequence()).isEqualTo(42);
    assertThat(head.uptimeMillis()).isZero();
    assertThat(head.countsDatagrams()).isFalse();
    assertThat(head.exportMicros()).isEqualTo(UNIX * 1_000_000L);
  }

  @Test
  void aCutHeadIsThatOfNone() {
    int[] lengths = {28, 24, 20, 16};
    byte[][] all = {sflow(), netflow5(), netflow9(), ipfix()};
    for (int i = 0; i < all.length; i++) {
      for (int length = 0; length < lengths[i]; length++) {
        assertThat(read(Arrays.copyOf(all[i], length))).isEqualTo(ExportProtocol.UNKNOWN);
        assertThat(head.channel(PORT)).isEqualTo(Channel.UNKNOWN);
        assertThat(head.sequence()).isZero();
        assertThat(DatagramHead.looksWhole(all[i], 0, length)).isFalse();
      }
    }
  }

  @Test
  void wholeDatagramsLookWhole() {
    for (byte[] datagram : new byte[][] {sflow(), netflow5(), netflow9(), ipfix()}) {
      assertThat(DatagramHead.looksWhole(datagram, 0, datagram.length)).isTrue();
    }
  }

  @Test
  void wrongLengthsLookBroken() {
    byte[] datagram = ipfix();
    assertThat(DatagramHead.looksBroken(datagram, 0, datagram.length)).isFalse();
    for (int length : new int[] {16, datagram.length - 1, datagram.length + 1, 65_535}) {
      ByteBuffer.wrap(datagram).putShort(2, (short) length);
      assertThat(DatagramHead.looksWhole(datagram, 0, datagram.length)).isFalse();
      assertThat(DatagramHead.looksBroken(datagram, 0, datagram.length)).isTrue();
    }
    byte[] longer = Arrays.copyOf(netflow5(), netflow5().length + 48);
    assertThat(DatagramHead.looksBroken(longer, 0, longer.length)).isTrue();
  }

  @Test
  void questionsOfDnsDoNotLookWhole() {
    Random random = new Random(5);
    byte[] name = {3, 'w', 'w', 'w', 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 3, 'c', 'o', 'm', 0};
    for (int id : new int[] {0, 5, 9, 10, random.nextInt(1 << 16)}) {
      ByteBuffer b = ByteBuffer.allocate(12 + name.length + 4);
      b.putShort((short) id).putShort((short) 0x0100).putShort((short) 1);
      b.putShort((short) 0).putInt(0).put(name).putShort((short) 1).putShort((short) 1);
      assertThat(DatagramHead.looksWhole(b.array(), 0, b.capacity())).as("id %d", id).isFalse();
    }
  }

  private ExportProtocol read(byte[] datagram) {
    byte[] shifted = new byte[datagram.length + 3];
    System.arraycopy(datagram, 0, shifted, 3, datagram.length);
    return head.read(shifted, 3, datagram.length);
  }

  private static byte[] sflow() {
    SflowEncoder encoder = new SflowEncoder(1_500);
    encoder.begin(0, Addresses.v4Low(0x0A000001), 2, 77, 1_234);
    encoder.flowSample(1, 0, 1, 256, 1, 0, 7, 0, 8);
    encoder.sampledIpv4(100, 6, 1, 2, 3, 4, 2, 0);
    return encoder.toBytes();
  }

  private static byte[] netflow5() {
    ByteBuffer b = ByteBuffer.allocate(24 + 48);
    b.putShort((short) 5).putShort((short) 1).putInt(1_234).putInt(UNIX).putInt(5_000_000);
    b.putInt(-3).putShort((short) 0x0102);
    return b.array();
  }

  private static byte[] netflow9() {
    ByteBuffer b = ByteBuffer.allocate(20 + 12);
    b.putShort((short) 9).putShort((short) 1).putInt(1_234).putInt(UNIX).putInt(42).putInt(7);
    return template(b, 0);
  }

  private static byte[] ipfix() {
    ByteBuffer b = ByteBuffer.allocate(16 + 12);
    b.putShort((short) 10).putShort((short) 28).putInt(UNIX).putInt(42).putInt(7);
    return template(b, 2);
  }

  private static byte[] template(ByteBuffer b, int set) {
    b.putShort((short) set).putShort((short) 12).putShort((short) 256).putShort((short) 1);
    b.putShort((short) 8).putShort((short) 4);
    byte[] bytes = new byte[b.position()];
    b.flip().get(bytes);
    return bytes;
  }
}
