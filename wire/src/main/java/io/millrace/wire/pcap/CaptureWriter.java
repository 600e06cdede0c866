package io.millrace.wire.pcap;

import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writer of datagrams as a capture: classic pcap, µs, little-endian, each datagram with generated
 * Ethernet, IP and UDP headers and valid checksums, fragmented where necessary.
 *
 * <p>Equal calls write equal bytes. The stream is neither buffered nor closed here. Not
 * thread-safe.
 */
public final class CaptureWriter {
  /** MTU of Ethernet in bytes. */
  public static final int ETHERNET_MTU = 1500;

  /** MTU without fragmentation. */
  public static final int NO_MTU = 65_575;

  private static final int MAGIC = 0xA1B2C3D4;
  private static final int ETHERNET = 1;
  private static final int RECORD_HEADER_LENGTH = 16;
  private static final int ETHERNET_LENGTH = 14;
  private static final int V4_LENGTH = 20;
  private static final int V6_LENGTH = 40;
  private static final int FRAGMENT_HEADER_LENGTH = 8;
  private static final int UDP_LENGTH = 8;
  private static final int MIN_MTU = 576; // RFC 791: the minimum that every host accepts
  private static final int MAX_UDP = 65_535;
  private static final int UDP = 17;
  private static final int FRAGMENT = 44;
  private static final int TIME_TO_LIVE = 64;

  // Locally administered addresses.
  private static final byte[] ETHERNET_ADDRESSES = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1};

  private final OutputStream out;
  private final int mtu;
  private final byte[] frame = new byte[RECORD_HEADER_LENGTH + ETHERNET_LENGTH + NO_MTU];
  private final ByteBuffer buffer = ByteBuffer.wrap(frame);
  private final byte[] segment = new byte[MAX_UDP];
  private int identification;

  /**
   * Writes the header of a capture.
   *
   * @param mtu maximum length of an IP packet in bytes, for example {@value #ETHERNET_MTU} or
   *     {@link #NO_MTU}
   * @throws IllegalArgumentException if the MTU is less than 576 or more than {@link #NO_MTU}
   */
  public CaptureWriter(OutputStream out, int mtu) throws IOException {
    if (mtu < MIN_MTU || mtu > NO_MTU) {
      throw new IllegalArgumentException("MTU " + mtu + ", expected 576 to " + NO_MTU);
    }
    this.out = out;
    this.mtu = mtu;
    buffer.order(ByteOrder.LITTLE_ENDIAN);
    buffer.putInt(MAGIC).putShort((short) 2).putShort((short) 4).putLong(0);
    buffer.putInt(CaptureInput.MAX_PACKET_LENGTH).putInt(ETHERNET);
    out.write(frame, 0, buffer.position());
  }

  /**
   * Writes one UDP datagram.
   *
   * @param timeMicros microseconds since the epoch, 0 to 2³² seconds
   * @param sourceHigh upper half of the source address, as {@link Addresses}
   * @param sourceLow lower half
   * @param sourcePort UDP source port
   * @param destinationHigh upper half of the destination address, of the same family
   * @param destinationLow lower half
   * @param destinationPort UDP destination port
   * @param payload holds the payload
   * @param offset where it starts
   * @param length its length, at most 65,507 bytes in IPv4 and 65,527 in IPv6
   * @throws IllegalArgumentException if the families differ or the payload is too long
   */
  public void datagram(
      long timeMicros,
      long sourceHigh,
      long sourceLow,
      int sourcePort,
      long destinationHigh,
      long destinationLow,
      int destinationPort,
      byte[] payload,
      int offset,
      int length)
      throws IOException {
    boolean v4 = Addresses.isV4(sourceHigh, sourceLow);
    if (v4 != Addresses.isV4(destinationHigh, destinationLow)) {
      throw new IllegalArgumentException("IPv4 and IPv6 addresses in one packet");
    }
    int udpLength = UDP_LENGTH + length;
    if (udpLength > MAX_UDP - (v4 ? V4_LENGTH : 0)) {
      throw new IllegalArgumentException("payload too long: " + length + " bytes");
    }
    ByteBuffer udp = ByteBuffer.wrap(segment);
    udp.putShort((short) sourcePort).putShort((short) destinationPort);
    udp.putShort((short) udpLength).putShort((short) 0).put(payload, offset, length);
    long sum = v4 ? 0 : sum(sourceHigh) + sum(destinationHigh);
    sum += v4 ? sum(sourceLow & 0xFFFF_FFFFL) : sum(sourceLow);
    sum += v4 ? sum(destinationLow & 0xFFFF_FFFFL) : sum(destinationLow);
    int checksum = folded(sum + UDP + udpLength + sum(segment, 0, udpLength));
    udp.putShort(6, (short) (checksum == 0 ? 0xFFFF : checksum)); // 0 would mean: no checksum

    identification++;
    int headers = v4 ? V4_LENGTH : V6_LENGTH;
    boolean whole = headers + udpLength <= mtu;
    int room = v4 ? mtu - V4_LENGTH : mtu - V6_LENGTH - FRAGMENT_HEADER_LENGTH;
    int step = whole ? udpLength : room & ~7;
    for (int at = 0; at < udpLength; at += step) {
      int piece = Math.min(step, udpLength - at);
      boolean more = at + piece < udpLength;
      buffer.position(RECORD_HEADER_LENGTH).order(ByteOrder.BIG_ENDIAN);
      buffer.put(ETHERNET_ADDRESSES);
      if (v4) {
        v4Header((int) sourceLow, (int) destinationLow, at, piece, more);
      } else {
        v6Header(sourceHigh, sourceLow, destinationHigh, destinationLow, at, piece, whole, more);
      }
      buffer.put(segment, at, piece);
      record(timeMicros);
    }
  }

  private void v4Header(int source, int destination, int at, int piece, boolean more) {
    buffer.putShort((short) 0x0800);
    int start = buffer.position();
    buffer.putShort((short) 0x4500).putShort((short) (V4_LENGTH + piece));
    buffer.putShort((short) identification).putShort((short) (at / 8 | (more ? 0x2000 : 0)));
    buffer.put((byte) TIME_TO_LIVE).put((byte) UDP).putShort((short) 0);
    buffer.putInt(source).putInt(destination);
    buffer.putShort(start + 10, (short) folded(sum(frame, start, V4_LENGTH)));
  }

  private void v6Header(
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int at,
      int piece,
      boolean whole,
      boolean more) {
    buffer.putShort((short) 0x86DD).putInt(6 << 28);
    buffer.putShort((short) (whole ? piece : piece + FRAGMENT_HEADER_LENGTH));
    buffer.put((byte) (whole ? UDP : FRAGMENT)).put((byte) TIME_TO_LIVE);
    buffer.putLong(sourceHigh).putLong(sourceLow);
    buffer.putLong(destinationHigh).putLong(destinationLow);
    if (!whole) {
      buffer.put((byte) UDP).put((byte) 0).putShort((short) (at | (more ? 1 : 0)));
      buffer.putInt(identification);
    }
  }

  private void record(long timeMicros) throws IOException {
    int end = buffer.position();
    int length = end - RECORD_HEADER_LENGTH;
    buffer.position(0).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putInt((int) (timeMicros / 1_000_000)).putInt((int) (timeMicros % 1_000_000));
    buffer.putInt(length).putInt(length);
    out.write(frame, 0, end);
  }

  /** RFC 1071: the sum of 16-bit words in a wider number, folded by the caller. */
  private static long sum(byte[] bytes, int offset, int length) {
    long sum = 0;
    for (int i = 0; i < length; i++) {
      int octet = bytes[offset + i] & 0xFF;
      sum += (i & 1) == 0 ? octet << 8 : octet;
    }
    return sum;
  }

  private static long sum(long word) {
    return (word >>> 48) + (word >>> 32 & 0xFFFF) + (word >>> 16 & 0xFFFF) + (word & 0xFFFF);
  }

  private static int folded(long sum) {
    long folded = sum;
    while (folded >>> 16 != 0) {
      folded = (folded & 0xFFFF) + (folded >>> 16);
    }
    return (int) ~folded & 0xFFFF;
  }
}
