package io.millrace.wire.pcap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.packet.LinkType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatagramExtractorTest {
  private static final int ETHERNET_LENGTH = 14;
  private static final byte[] PAYLOAD = {7, 8, 9};

  private final Datagrams sink = new Datagrams();
  private final DatagramExtractor extractor = new DatagramExtractor(sink);

  private void take(LinkType type, byte[] frame) {
    extractor.packet(5, type, frame, 0, frame.length);
  }

  private void takeAt(long time, byte[] frame) {
    extractor.packet(time, LinkType.ETHERNET, frame, 0, frame.length);
  }

  private static byte[] frame(boolean v6) throws IOException {
    return Datagrams.frames(v6, PAYLOAD).get(0);
  }

  /**
   * The frame with the bytes of {@code header}, in hexadecimal, in place of the Ethernet header.
   */
  private static byte[] behind(String header, boolean v6) throws IOException {
    byte[] front = java.util.HexFormat.of().parseHex(header);
    byte[] frame = frame(v6);
    byte[] result = Arrays.copyOf(front, front.length + frame.length - ETHERNET_LENGTH);
    System.arraycopy(frame, ETHERNET_LENGTH, result, front.length, frame.length - ETHERNET_LENGTH);
    return result;
  }

  @ParameterizedTest
  @CsvSource({
    "RAW_IP, '', false",
    "RAW_IP, '', true",
    "IPV4, '', false",
    "IPV6, '', true",
    "NULL, 02000000, false",
    "NULL, 00000002, false",
    "NULL, 1e000000, true",
    "LOOP, 00000018, true",
    "LINUX_SLL, 00000001000600000000000000000800, false",
    "LINUX_SLL2, 86dd000000000001000100060000000000000000, true",
    "ETHERNET, 0200000000010200000000028100000a0800, false",
    "ETHERNET, 02000000000102000000000288a8000a8100000b86dd, true",
    "ETHERNET, 0200000000010200000000028847000010ff000020ff000031ff, false",
    "ETHERNET, 0200000000010200000000020028aaaa030000000800, false"
  })
  void findsIpAfterEveryLinkLayer(LinkType type, String header, boolean v6) throws IOException {
    take(type, behind(header, v6));

    long low = v6 ? 1 : Datagrams.V4_SOURCE;
    assertThat(sink.found)
        .containsExactly(
            new Datagrams.Datagram(
                5, v6 ? Datagrams.V6_HIGH : 0, low, 50_000, 6343, Datagrams.text(PAYLOAD), false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "020000000001020000000002" + "0806",
        "020000000001020000000002" + "8864",
        "02",
        ""
      })
  void countsPacketsThatAreNotIp(String header) throws IOException {
    byte[] frame = java.util.HexFormat.of().parseHex(header);
    take(LinkType.ETHERNET, frame);
    take(LinkType.UNKNOWN, frame(false));

    assertThat(extractor.otherPackets()).isEqualTo(2);
    assertThat(sink.found).isEmpty();
  }

  @Test
  void leavesThePaddingOfEthernetOut() throws IOException {
    take(LinkType.ETHERNET, Arrays.copyOf(frame(false), 60));

    assertThat(sink.found.get(0).payload()).isEqualTo(Datagrams.text(PAYLOAD));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void passesATruncatedDatagramWithAFlag(boolean v6) throws IOException {
    byte[] frame = frame(v6);
    take(LinkType.ETHERNET, Arrays.copyOf(frame, frame.length - 2));

    assertThat(sink.found.get(0).payload()).isEqualTo(Datagrams.text(new byte[] {7}));
    assertThat(sink.found.get(0).cut()).isTrue();
    assertThat(extractor.truncatedDatagrams()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void reassemblesFragmentsInAnyOrderWithDuplicates(boolean v6) throws IOException {
    byte[] payload = Datagrams.payload(5000, new Random(1));
    List<byte[]> frames = Datagrams.frames(v6, payload);
    assertThat(frames).hasSize(4);

    for (int i : new int[] {3, 1, 1, 3, 0}) {
      takeAt(i, frames.get(i));
    }
    assertThat(sink.found).isEmpty();
    takeAt(77, frames.get(2));

    assertThat(sink.found).hasSize(1);
    assertThat(sink.found.get(0).payload()).isEqualTo(Datagrams.text(payload));
    assertThat(sink.found.get(0).time()).isEqualTo(77);
    assertThat(extractor.fragmentPackets()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void dropsADatagramWithContradictoryFragments(boolean v6) throws IOException {
    List<byte[]> frames = Datagrams.frames(3000, v6, new Random(1));
    byte[] other = frames.get(1).clone();
    other[other.length - 1]++;

    takeAt(1, frames.get(1));
    takeAt(1, other);
    takeAt(1, frames.get(0));
    takeAt(1, frames.get(2));

    assertThat(sink.found).isEmpty();
    assertThat(extractor.contradictoryDatagrams()).isEqualTo(1);
  }

  @Test
  void doesNotMixFragmentsOfDifferentTimes() throws IOException {
    List<byte[]> frames = Datagrams.frames(2000, false, new Random(1));
    takeAt(0, frames.get(0));
    takeAt(FragmentTable.MAX_AGE_MICROS + 1, frames.get(1));

    assertThat(sink.found).isEmpty();
    assertThat(extractor.incompleteDatagrams()).isEqualTo(1);
  }

  @Test
  void dropsTheOldestWhenTooManyWait() throws IOException {
    List<byte[]> frames = Datagrams.frames(2000, false, new Random(1));
    int identification = ETHERNET_LENGTH + 4;
    for (int i = 0; i <= FragmentTable.MAX_DATAGRAMS / FragmentTable.SOURCE_SHARE; i++) {
      ByteBuffer.wrap(frames.get(0)).putShort(identification, (short) i);
      takeAt(1, frames.get(0));
    }
    assertThat(extractor.incompleteDatagrams()).isEqualTo(1);

    for (int i : new int[] {0, 1}) {
      ByteBuffer.wrap(frames.get(1)).putShort(identification, (short) i);
      takeAt(1, frames.get(1));
    }
    // The remaining fragments of 0 completed nothing, and evicted 1.
    assertThat(sink.found).isEmpty();
    assertThat(extractor.incompleteDatagrams()).isEqualTo(3);

    ByteBuffer.wrap(frames.get(1)).putShort(identification, (short) 9);
    takeAt(1, frames.get(1));
    assertThat(sink.found).hasSize(1);
  }
}
