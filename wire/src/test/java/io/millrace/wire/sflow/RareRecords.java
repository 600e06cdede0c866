package io.millrace.wire.sflow;

import io.millrace.wire.block.Addresses;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Records that the decoder supports but the generated traffic lacks. */
final class RareRecords {
  private static final int MAX_BYTES = 1_024;

  private RareRecords() {}

  /** Sampled Ethernet frame: length, addresses in the lower 48 bits, EtherType. */
  static void sampledEthernet(
      SflowEncoder to, int frameLength, long srcMac, long dstMac, int etherType) {
    ByteBuffer record = ByteBuffer.allocate(SflowLayout.SAMPLED_ETHERNET_LENGTH);
    record.putInt(frameLength).putLong(srcMac << 16).putLong(dstMac << 16).putInt(etherType);
    put(to, SflowLayout.SAMPLED_ETHERNET, record);
  }

  /** Extended router; a next hop of {@link Addresses#NULL} is written as an unknown address. */
  static void extendedRouter(
      SflowEncoder to, long nextHopHigh, long nextHopLow, int srcMaskLength, int dstMaskLength) {
    ByteBuffer record = ByteBuffer.allocate(MAX_BYTES);
    address(record, nextHopHigh, nextHopLow);
    record.putInt(srcMaskLength).putInt(dstMaskLength);
    put(to, SflowLayout.EXTENDED_ROUTER, record);
  }

  /**
   * Extended gateway.
   *
   * @param nextHopHigh upper half of the next hop, {@link Addresses#NULL} if unknown
   * @param nextHopLow lower half
   * @param as the router's own AS
   * @param srcAs AS of the source
   * @param srcPeerAs AS of the neighbour towards the source
   * @param path AS numbers towards the destination, nearest first: one sequence, no segment at all
   *     if empty
   * @param communities BGP communities
   * @param localPreference BGP local preference
   */
  static void extendedGateway(
      SflowEncoder to,
      long nextHopHigh,
      long nextHopLow,
      int as,
      int srcAs,
      int srcPeerAs,
      int[] path,
      int[] communities,
      int localPreference) {
    ByteBuffer record = ByteBuffer.allocate(MAX_BYTES);
    address(record, nextHopHigh, nextHopLow);
    record.putInt(as).putInt(srcAs).putInt(srcPeerAs);
    if (path.length == 0) {
      record.putInt(0);
    } else {
      record.putInt(1).putInt(SflowLayout.AS_SEQUENCE);
      numbers(record, path);
    }
    numbers(record, communities);
    record.putInt(localPreference);
    put(to, SflowLayout.EXTENDED_GATEWAY, record);
  }

  /** Any record of words. */
  static void of(SflowEncoder to, int format, int... words) {
    ByteBuffer record = ByteBuffer.allocate(MAX_BYTES);
    for (int word : words) {
      record.putInt(word);
    }
    put(to, format, record);
  }

  /** Any record of texts. */
  static void text(SflowEncoder to, int format, String... texts) {
    ByteBuffer record = ByteBuffer.allocate(MAX_BYTES);
    for (String text : texts) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      record.putInt(bytes.length).put(bytes).put(new byte[-bytes.length & 3]);
    }
    put(to, format, record);
  }

  private static void numbers(ByteBuffer record, int[] numbers) {
    record.putInt(numbers.length);
    for (int number : numbers) {
      record.putInt(number);
    }
  }

  private static void address(ByteBuffer record, long high, long low) {
    if (Addresses.isNull(high, low)) {
      record.putInt(SflowLayout.ADDRESS_UNKNOWN);
    } else if (Addresses.isV4(high, low)) {
      record.putInt(SflowLayout.ADDRESS_IPV4).putInt((int) low);
    } else {
      record.putInt(SflowLayout.ADDRESS_IPV6).putLong(high).putLong(low);
    }
  }

  private static void put(SflowEncoder to, int format, ByteBuffer record) {
    byte[] bytes = new byte[record.flip().remaining()];
    record.get(bytes);
    to.record(format, bytes, 0, bytes.length);
  }
}
