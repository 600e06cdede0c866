package io.millrace.wire.pcap;

import io.millrace.wire.packet.LinkType;
import java.io.IOException;

/**
 * Reader of classic pcap (draft-ietf-opsawg-pcap), in all its variants.
 *
 * <pre>
 *   file header, 24 bytes:
 *   0       4       6       8          12        16        20           24
 *   +-------+-------+-------+----------+---------+---------+------------+
 *   | magic | major | minor | reserved | reserved| snaplen | link type  |
 *   +-------+-------+-------+----------+---------+---------+------------+
 *
 *   packet, 16 bytes (24 in Kuznetzov's dialect, whose last 8 are ignored):
 *   0         4            8           12           16
 *   +---------+------------+-----------+------------+---------------+
 *   | seconds | µs or ns   | captured  | on wire    | captured bytes|
 *   +---------+------------+-----------+------------+---------------+
 * </pre>
 */
final class PcapReader extends CaptureReader {
  private static final int REST_OF_HEADER_LENGTH = 20;
  private static final int MAJOR_OFFSET = 0;
  private static final int LINK_TYPE_OFFSET = 16;
  private static final int MINOR_OFFSET = 2;
  private static final int MAJOR = 2;

  /** Versions up to 2.2 have the length on the wire first, 2.3 has either order. */
  private static final int SORTED_MINOR = 4;

  private static final int MICROS_OFFSET = 4;
  private static final int CAPTURED_OFFSET = 8;
  private static final int WIRE_OFFSET = 12;

  enum Variant {
    MICROS(0xA1B2C3D4, 1, 16),
    NANOS(0xA1B23C4D, 1000, 16),
    KUZNETZOV(0xA1B2CD34, 1, 24);

    final int magic;
    final int ticksPerMicro;
    final int headerLength;

    Variant(int magic, int ticksPerMicro, int headerLength) {
      this.magic = magic;
      this.ticksPerMicro = ticksPerMicro;
      this.headerLength = headerLength;
    }

    /** Returns the variant of a magic number in either byte order; null if unknown. */
    static Variant of(int magic) {
      for (Variant variant : values()) {
        if (variant.magic == magic || variant.magic == Integer.reverseBytes(magic)) {
          return variant;
        }
      }
      return null;
    }
  }

  private final Variant variant;
  private final int minor;

  PcapReader(CaptureInput in, Variant variant) throws IOException {
    super(in);
    this.variant = variant;
    in.littleEndian(in.int32(0) != variant.magic);
    in.require(REST_OF_HEADER_LENGTH, "its header");
    if (in.uint16(MAJOR_OFFSET) != MAJOR) {
      throw in.broken("unsupported pcap version " + in.uint16(MAJOR_OFFSET));
    }
    minor = in.uint16(MINOR_OFFSET);
    linkNumber = in.int32(LINK_TYPE_OFFSET) & 0xFFFF; // above: length of the checksum
    linkType = LinkType.of(linkNumber);
  }

  @Override
  boolean readPacket() throws IOException {
    if (!in.fill(variant.headerLength, "a packet's header")) {
      return false;
    }
    timeMicros = in.uint32(0) * 1_000_000 + in.uint32(MICROS_OFFSET) / variant.ticksPerMicro;
    long first = in.uint32(CAPTURED_OFFSET);
    long second = in.uint32(WIRE_OFFSET);
    boolean swapped = minor < SORTED_MINOR - 1 || (minor < SORTED_MINOR && first > second);
    wireLength = swapped ? first : second;
    int captured = checkLength(swapped ? second : first);
    in.require(captured, "a packet");
    captured(0, captured);
    return true;
  }
}
