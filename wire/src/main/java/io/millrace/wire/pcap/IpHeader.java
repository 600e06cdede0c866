package io.millrace.wire.pcap;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.packet.PacketReject;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Header of one IP packet (RFC 791, RFC 8200 section 4), from arbitrary bytes; reused. */
final class IpHeader {
  static final int UDP = 17;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  static final int V4_LENGTH = 20;
  static final int V6_LENGTH = 40;
  private static final int HOP_BY_HOP = 0;
  private static final int ROUTING = 43;
  private static final int FRAGMENT = 44;
  private static final int AUTHENTICATION = 51;
  private static final int DESTINATION_OPTIONS = 60;
  private static final int EXTENSION_UNIT = 8;
  private static final int NOT_AN_EXTENSION = -1;

  PacketReject reject = PacketReject.CUT_IP_HEADER;

  boolean v6;
  long sourceHigh;
  long sourceLow;
  long destinationHigh;
  long destinationLow;

  /** Protocol of the payload; in a later IPv6 fragment that of its first header. */
  int protocol;

  int payload;

  int end;

  int length;

  boolean truncated;

  int missing() {
    return truncated ? length - (end - start) : 0;
  }

  void boundLength() {
    length = Math.min(length, end - start);
  }

  private int start;

  int fragmentOffset;

  boolean moreFragments;
  int identification;

  boolean isFragment() {
    return fragmentOffset != 0 || moreFragments;
  }

  boolean read(byte[] bytes, int at, int limit) {
    if (at >= limit) {
      return reject(PacketReject.CUT_IP_HEADER);
    }
    start = at;
    return switch ((bytes[at] & 0xF0) >>> 4) {
      case 4 -> readV4(bytes, at, limit);
      case 6 -> readV6(bytes, at, limit);
      default -> reject(PacketReject.BAD_IP_HEADER);
    };
  }

  private boolean reject(PacketReject why) {
    reject = why;
    return false;
  }

  private boolean readV4(byte[] bytes, int at, int limit) {
    int headerLength = (bytes[at] & 0x0F) * 4;
    if (headerLength < V4_LENGTH) {
      return reject(PacketReject.BAD_IP_HEADER);
    }
    if (at + headerLength > limit) {
      return reject(PacketReject.CUT_IP_HEADER);
    }
    int total = LinkLayers.uint16(bytes, at + 2);
    if (total == 0) {
      total = limit - at; // segmentation offload: the interface sets it after the capture
    } else if (total < headerLength) {
      return reject(PacketReject.BAD_IP_HEADER);
    }
    v6 = false;
    protocol = bytes[at + 9] & 0xFF;
    identification = LinkLayers.uint16(bytes, at + 4);
    int fragment = LinkLayers.uint16(bytes, at + 6);
    moreFragments = (fragment & 0x2000) != 0;
    fragmentOffset = (fragment & 0x1FFF) * EXTENSION_UNIT;
    sourceHigh = 0;
    sourceLow = Addresses.v4Low((int) INT.get(bytes, at + 12));
    destinationHigh = 0;
    destinationLow = Addresses.v4Low((int) INT.get(bytes, at + 16));
    payload = at + headerLength;
    end = Math.min(at + total, limit);
    length = total;
    truncated = at + total > limit;
    return isFragment() || protocol != AUTHENTICATION || skipExtensions(bytes);
  }

  private boolean readV6(byte[] bytes, int at, int limit) {
    if (at + V6_LENGTH > limit) {
      return reject(PacketReject.CUT_IP_HEADER);
    }
    int length = LinkLayers.uint16(bytes, at + 4);
    int whole = length == 0 ? limit : at + V6_LENGTH + length; // 0: jumbogram or offload
    v6 = true;
    moreFragments = false;
    fragmentOffset = 0;
    sourceHigh = (long) LONG.get(bytes, at + 8);
    sourceLow = (long) LONG.get(bytes, at + 16);
    destinationHigh = (long) LONG.get(bytes, at + 24);
    destinationLow = (long) LONG.get(bytes, at + 32);
    end = Math.min(whole, limit);
    this.length = whole - at;
    truncated = whole > limit;
    protocol = bytes[at + 6] & 0xFF;
    payload = at + V6_LENGTH;
    return skipExtensions(bytes);
  }

  /** Skips extension headers from {@link #payload}; in IPv4 only AH. */
  boolean skipExtensions(byte[] bytes) {
    while (true) {
      int length;
      switch (v6 || protocol == AUTHENTICATION ? protocol : NOT_AN_EXTENSION) {
        case HOP_BY_HOP, ROUTING, DESTINATION_OPTIONS ->
            length = extension(bytes, EXTENSION_UNIT, 1);
        case AUTHENTICATION -> length = extension(bytes, 4, 2);
        case FRAGMENT -> length = EXTENSION_UNIT;
        default -> {
          return true;
        }
      }
      if (length > end - payload) {
        return reject(PacketReject.CUT_IP_HEADER);
      }
      boolean fragment = protocol == FRAGMENT;
      if (fragment) {
        int field = LinkLayers.uint16(bytes, payload + 2);
        moreFragments = (field & 1) != 0;
        fragmentOffset = field & 0xFFF8;
        identification = (int) INT.get(bytes, payload + 4);
      }
      protocol = bytes[payload] & 0xFF;
      payload += length;
      if (fragment && isFragment()) {
        return true;
      }
    }
  }

  private int extension(byte[] bytes, int unit, int more) {
    return payload + 2 > end ? Integer.MAX_VALUE : ((bytes[payload + 1] & 0xFF) + more) * unit;
  }
}
