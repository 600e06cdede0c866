package io.millrace.wire.pcap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.fuzz.FuzzTime;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.Tunnel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Each packet becomes a row; fragments of a tunnel's packet become one row. */
class PacketRowsTest {
  private static final int RAW_IP = 101;

  private final FlowBlock block = new FlowBlock(1);

  private static CaptureBytes capture() {
    return CaptureBytes.pcap(ByteOrder.LITTLE_ENDIAN, 0xA1B2C3D4, RAW_IP);
  }

  private PacketRows read(CaptureBytes bytes, IpLayer layer) throws IOException {
    block.clear();
    PacketRows rows = new PacketRows(layer);
    CaptureReader capture = bytes.open();
    while (capture.next()) {
      rows.add(capture, block);
    }
    return rows;
  }

  private static CaptureBytes of(List<byte[]> packets, int... order) {
    CaptureBytes capture = capture();
    for (int i : order) {
      capture.record(1, i, packets.get(i).length, packets.get(i));
    }
    return capture;
  }

  private String rows() {
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      rows.add(
          "%s %d>%d %d×%d %d"
              .formatted(
                  Addresses.toText(
                      block.addressHigh(FlowColumn.SRC_ADDR)[row],
                      block.addressLow(FlowColumn.SRC_ADDR)[row]),
                  block.ints(FlowColumn.SRC_PORT)[row],
                  block.ints(FlowColumn.DST_PORT)[row],
                  block.longs(FlowColumn.PACKETS)[row],
                  block.longs(FlowColumn.BYTES)[row],
                  block.has(FlowColumn.TUNNEL) ? block.ints(FlowColumn.TUNNEL)[row] : -1));
    }
    return String.join("; ", rows);
  }

  @Test
  void tunnelPacketInFragmentsIsOneRowOfItsInnerEnds() throws IOException {
    for (Tunnel tunnel : List.of(Tunnel.GTP_U, Tunnel.VXLAN, Tunnel.GRE, Tunnel.IP_IN_IP)) {
      for (boolean isV6 : new boolean[] {false, true}) {
        List<byte[]> packets = TunnelFragmentsTest.fragments(tunnel, isV6, 7);
        for (int[] order : new int[][] {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
          PacketRows read = read(of(packets, order), IpLayer.INNER);
          assertThat(rows()).isEqualTo("10.1.0.1 1000>53 1×628 " + tunnel.code());
          assertThat(read.rejects().lines()).isEmpty();
        }
      }
    }
  }

  @Test
  void outerLayerShowsEachFragment() throws IOException {
    List<byte[]> packets = TunnelFragmentsTest.fragments(Tunnel.GRE, false, 7);
    read(of(packets, 0, 1, 2), IpLayer.OUTER);
    assertThat(rows())
        .isEqualTo(
            "192.0.2.1 -1>-1 1×276 -1; 192.0.2.1 -1>-1 1×276 -1; 192.0.2.1 -1>-1 1×%d -1"
                .formatted(packets.get(2).length));
  }

  @Test
  void anotherPacketInFragmentsHasAllItsBytes() throws IOException {
    List<byte[]> packets = new ArrayList<>();
    for (byte[] each : TunnelFragmentsTest.fragments(Tunnel.VXLAN, false, 7)) {
      byte[] plain = each.clone();
      packets.add(plain);
    }
    packets.get(0)[23] = 0x35; // port 53: not a tunnel
    packets.get(0)[22] = 0;
    read(of(packets, 0, 1, 2), IpLayer.INNER);
    long rest = (long) packets.get(1).length + packets.get(2).length;
    assertThat(rows())
        .isEqualTo("192.0.2.1 49152>53 1×276 -1; 192.0.2.1 49152>53 2×%d -1".formatted(rest));
  }

  @Test
  void incompleteFragmentsAreCounted() throws IOException {
    List<byte[]> packets = TunnelFragmentsTest.fragments(Tunnel.GRE, false, 7);
    CaptureBytes capture = of(packets, 1);
    byte[] later = packets.get(1); // 99 s later
    capture.record(100, 0, later.length, later);
    assertThat(read(capture, IpLayer.INNER).rejects().lines())
        .containsExactly("1 × missing-fragments");
    assertThat(block.rows()).isZero();
  }

  @Test
  void aPacketIsNoLongerThanItsFrameWhereThatIsWhole() throws IOException {
    byte[] packet = new byte[40];
    ByteBuffer.wrap(packet)
        .putInt(0x45000000 | 1400)
        .putInt(0)
        .putInt(0x40110000)
        .putInt(0x0A000001)
        .putInt(0x0A000002);
    read(capture().record(1, 0, 40, packet).record(1, 0, 1400, packet), IpLayer.OUTER);
    assertThat(block.longs(FlowColumn.BYTES)).startsWith(40, 1400);
  }

  /** Any fragments in any order: no exception, and no packet twice. */
  @Test
  void anyFragmentsAreReadOrRejected() {
    Consumer<Random> turn =
        random -> {
          CaptureBytes capture = capture();
          int packets = random.nextInt(40);
          for (int i = 0; i < packets; i++) {
            Tunnel tunnel =
                List.of(Tunnel.GTP_U, Tunnel.VXLAN, Tunnel.GRE, Tunnel.IP_IN_IP)
                    .get(random.nextInt(4));
            byte[] packet =
                TunnelFragmentsTest.fragments(tunnel, random.nextBoolean(), random.nextInt(4))
                    .get(random.nextInt(3));
            for (int n = random.nextInt(3); n > 0; n--) {
              packet[random.nextInt(random.nextBoolean() ? 60 : packet.length)] =
                  (byte) random.nextInt();
            }
            capture.record(random.nextInt(100), 0, packet.length, packet);
          }
          try {
            for (IpLayer layer : IpLayer.values()) {
              read(capture, layer);
              long shown = 0;
              for (int row = 0; row < block.rows(); row++) {
                shown += block.longs(FlowColumn.PACKETS)[row];
                assertThat(block.longs(FlowColumn.BYTES)[row]).isBetween(0L, 100_000L);
              }
              assertThat(shown).isLessThanOrEqualTo(packets);
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    FuzzTime.run("packets in fragments", 1, 1_500, turn);
  }
}
