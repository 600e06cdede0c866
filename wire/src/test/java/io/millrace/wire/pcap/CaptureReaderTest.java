package io.millrace.wire.pcap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.packet.LinkType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CaptureReaderTest {
  private static final int MICROS = 0xA1B2C3D4;
  private static final int NANOS = 0xA1B23C4D;
  private static final byte[] PACKET = {1, 2, 3, 4, 5};
  private static final long TIME = 1_700_000_000_123_456L;

  private static Stream<ByteOrder> orders() {
    return Stream.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN);
  }

  private static void assertPacket(CaptureReader capture, long frame, long time, int wireLength)
      throws IOException {
    assertThat(capture.next()).isTrue();
    assertThat(capture.frame()).isEqualTo(frame);
    assertThat(capture.timeMicros()).isEqualTo(time);
    assertThat(capture.wireLength()).isEqualTo(wireLength);
    int from = capture.offset();
    assertThat(Arrays.copyOfRange(capture.bytes(), from, from + capture.length()))
        .isEqualTo(PACKET);
  }

  @ParameterizedTest
  @MethodSource("orders")
  void readsMicrosecondsAndNanoseconds(ByteOrder order) throws IOException {
    CaptureReader micros =
        CaptureBytes.pcap(order, MICROS, 1).record(1_700_000_000, 123_456, 9, PACKET).open();
    CaptureReader nanos =
        CaptureBytes.pcap(order, NANOS, 113).record(1_700_000_000, 123_456_999, 9, PACKET).open();

    assertPacket(micros, 1, TIME, 9);
    assertThat(micros.linkType()).isEqualTo(LinkType.ETHERNET);
    assertThat(micros.next()).isFalse();
    assertPacket(nanos, 1, TIME, 9);
    assertThat(nanos.linkType()).isEqualTo(LinkType.LINUX_SLL);
  }

  @ParameterizedTest
  @MethodSource("orders")
  void readsTimesAfter2038(ByteOrder order) throws IOException {
    CaptureReader capture = CaptureBytes.pcap(order, MICROS, 1).record(-1, 0, 5, PACKET).open();

    assertPacket(capture, 1, 4_294_967_295_000_000L, 5);
  }

  @ParameterizedTest
  @MethodSource("orders")
  void readsEveryPacketBlockOfPcapng(ByteOrder order) throws IOException {
    CaptureReader capture =
        CaptureBytes.pcapng(order)
            .unknown()
            .iface(1, 0)
            .iface(101, 0)
            .enhanced(1, TIME, 60, PACKET)
            .unknown()
            .simple(5, PACKET)
            .obsolete(1, TIME + 1, PACKET)
            .open();

    assertPacket(capture, 1, TIME, 60);
    assertThat(capture.linkType()).isEqualTo(LinkType.RAW_IP);
    assertPacket(capture, 2, TIME, 5);
    assertThat(capture.linkType()).isEqualTo(LinkType.ETHERNET);
    assertPacket(capture, 3, TIME + 1, 5);
    assertThat(capture.linkType()).isEqualTo(LinkType.RAW_IP);
    assertThat(capture.next()).isFalse();
  }

  @Test
  void startsEachSectionWithItsOwnByteOrderAndInterfaces() throws IOException {
    CaptureReader capture =
        CaptureBytes.pcapng(ByteOrder.BIG_ENDIAN)
            .iface(1, 0)
            .enhanced(0, TIME, 5, PACKET)
            .section(ByteOrder.LITTLE_ENDIAN)
            .iface(276, 0)
            .enhanced(0, TIME, 5, PACKET)
            .section(ByteOrder.BIG_ENDIAN)
            .enhanced(0, TIME, 5, PACKET)
            .open();

    assertPacket(capture, 1, TIME, 5);
    assertThat(capture.linkType()).isEqualTo(LinkType.ETHERNET);
    assertPacket(capture, 2, TIME, 5);
    assertThat(capture.linkType()).isEqualTo(LinkType.LINUX_SLL2);
    assertThatThrownBy(capture::next)
        .isInstanceOf(CaptureException.class)
        .hasMessageContaining("interface 0");
    assertThat(capture.next()).isFalse();
  }

  @Test
  void countsTimeAsTheInterfaceSays() throws IOException {
    byte[] nanos = {9, 9};
    byte[] binary = {9, (byte) 0x8A};
    byte[] hourLater = ByteBuffer.allocate(9).put((byte) 14).putLong(3600).array();
    CaptureReader capture =
        CaptureBytes.pcapng(ByteOrder.BIG_ENDIAN)
            .iface(1, 0, nanos)
            .iface(1, 0, binary, hourLater)
            .enhanced(0, TIME * 1000 + 999, 5, PACKET)
            .enhanced(1, 3 * 1024 + 512, 5, PACKET)
            .open();

    assertPacket(capture, 1, TIME, 5);
    assertPacket(capture, 2, 3_603_500_000L, 5);
  }

  @Test
  void cutsASimplePacketWhereItsInterfaceCutIt() throws IOException {
    CaptureReader capture =
        CaptureBytes.pcapng(ByteOrder.LITTLE_ENDIAN).iface(1, 5).simple(1500, PACKET).open();

    assertPacket(capture, 1, 0, 1500);
  }

  @Test
  void readsAGzippedCapture() throws IOException {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
      out.write(
          CaptureBytes.pcap(ByteOrder.LITTLE_ENDIAN, MICROS, 1).record(1, 2, 5, PACKET).toBytes());
    }
    byte[] whole = zipped.toByteArray();

    assertPacket(CaptureReader.open(new ByteArrayInputStream(whole)), 1, 1_000_002, 5);
    assertThatThrownBy(
            () -> {
              CaptureReader cut =
                  CaptureReader.open(new ByteArrayInputStream(whole, 0, whole.length / 2));
              cut.next();
            })
        .isInstanceOf(CaptureException.class);
  }

  @Test
  void givesThePacketsBeforeTheDamageThenItsPosition() throws IOException {
    byte[] whole =
        CaptureBytes.pcap(ByteOrder.LITTLE_ENDIAN, MICROS, 1)
            .record(1, 2, 5, PACKET)
            .record(1, 3, 5, PACKET)
            .toBytes();
    CaptureReader capture =
        CaptureReader.open(new ByteArrayInputStream(whole, 0, whole.length - 1));

    assertPacket(capture, 1, 1_000_002, 5);
    assertThatThrownBy(capture::next)
        .isInstanceOfSatisfying(
            CaptureException.class, e -> assertThat(e.position()).isEqualTo(whole.length - 1))
        .hasMessageContaining("truncated inside a packet");
    assertThat(capture.next()).isFalse();
  }

  @Test
  void rejectsALengthThatNoCaptureMayHave() throws IOException {
    byte[] whole =
        CaptureBytes.pcap(ByteOrder.LITTLE_ENDIAN, MICROS, 1).record(1, 2, 5, PACKET).toBytes();
    whole[24 + 8 + 3] = 0x7F;
    CaptureReader capture = CaptureReader.open(new ByteArrayInputStream(whole));

    assertThatThrownBy(capture::next)
        .isInstanceOf(CaptureException.class)
        .hasMessageContaining("captured length of");
    assertThat(capture.bytes().length).isLessThan(10_000);
  }

  @Test
  void rejectsFilesThatAreNoCapture() {
    for (String text : new String[] {"", "a", "abc", "abcdefghijklmnopqrstuvwxyz"}) {
      byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
      assertThatThrownBy(() -> CaptureReader.open(new ByteArrayInputStream(bytes)))
          .isInstanceOf(CaptureException.class);
    }
  }
}
