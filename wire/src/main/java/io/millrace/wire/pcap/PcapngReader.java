package io.millrace.wire.pcap;

import io.millrace.wire.packet.LinkType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reader of pcapng (draft-ietf-opsawg-pcapng): sections of either byte order, each with its own
 * interfaces.
 *
 * <pre>
 *   block:
 *   0      4               8                            total length − 4
 *   +------+---------------+----------------------------+---------------+
 *   | type | total length  | body, padded to 4 bytes    | total length  |
 *   +------+---------------+----------------------------+---------------+
 *
 *   section header body:    byte-order magic, major, minor, section length (8), options
 *   interface body:         link type (2), reserved (2), snaplen, options
 *   enhanced packet body:   interface, time high, time low, captured, on wire, bytes, options
 *   simple packet body:     on wire, bytes
 *   packet body (obsolete): interface (2), drops (2), time high, time low, captured, on wire, bytes, …
 *   option:                 code (2), length (2), value, padded to 4 bytes
 * </pre>
 *
 * Blocks of other types are skipped by their length.
 */
final class PcapngReader extends CaptureReader {
  static final int SECTION_HEADER = 0x0A0D0D0A; // the same in both byte orders
  private static final int INTERFACE = 1;
  private static final int PACKET = 2;
  private static final int SIMPLE_PACKET = 3;
  private static final int ENHANCED_PACKET = 6;

  private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
  private static final int BLOCK_HEADER_LENGTH = 8;
  private static final int BLOCK_FRAME_LENGTH = 12;
  private static final int SECTION_BODY_LENGTH = 16;
  private static final int INTERFACE_BODY_LENGTH = 8;
  private static final int PACKET_BODY_LENGTH = 20;
  private static final int MAX_INTERFACES = 65_536;

  private static final int END_OF_OPTIONS = 0;
  private static final int IF_TSRESOL = 9;
  private static final int IF_TSOFFSET = 14;

  private record Interface(int linkNumber, LinkType linkType, long snapLength, TimeScale scale) {}

  private final List<Interface> interfaces = new ArrayList<>();
  private long bodyLeft; // unread bytes of the current block's body
  private long totalLength;

  PcapngReader(CaptureInput in) throws IOException {
    super(in);
    in.require(Integer.BYTES, "its header");
    readSection(0);
  }

  @Override
  boolean readPacket() throws IOException {
    while (in.fill(BLOCK_HEADER_LENGTH, "a block's header")) {
      int type = in.int32(0);
      if (type == SECTION_HEADER) {
        readSection(Integer.BYTES);
        continue;
      }
      startBlock(in.uint32(Integer.BYTES));
      boolean found = true;
      switch (type) {
        case ENHANCED_PACKET, PACKET -> readPacketBlock(type);
        case SIMPLE_PACKET -> readSimplePacket();
        case INTERFACE -> {
          readInterface();
          found = false;
        }
        default -> found = false;
      }
      endBlock();
      if (found) {
        return true;
      }
    }
    return false;
  }

  private void startBlock(long total) throws CaptureException {
    if (total < BLOCK_FRAME_LENGTH || total % 4 != 0) {
      throw in.broken("invalid block length " + total);
    }
    totalLength = total;
    bodyLeft = total - BLOCK_FRAME_LENGTH;
  }

  private void require(int length, String what) throws IOException {
    if (length > bodyLeft) {
      throw in.broken("a block of %d bytes is too short for %s".formatted(totalLength, what));
    }
    in.require(length, what);
    bodyLeft -= length;
  }

  private void endBlock() throws IOException {
    // The packet stays at the start of the window, and the trailing block length is read after it.
    in.skip(bodyLeft, "a block");
    int kept = offset() + length();
    if (!in.fill(kept, Integer.BYTES, "a block")) {
      throw in.ended("a block");
    }
    if (in.uint32(kept) != totalLength) {
      throw in.broken(
          "a block of %d bytes with a trailing length of %d"
              .formatted(totalLength, in.uint32(kept)));
    }
  }

  private void readSection(int lengthAt) throws IOException {
    captured(0, 0);
    if (!in.fill(lengthAt + Integer.BYTES, Integer.BYTES, "a section header")) {
      throw in.ended("a section header");
    }
    in.littleEndian(false);
    int magicAt = lengthAt + Integer.BYTES;
    in.littleEndian(in.int32(magicAt) != BYTE_ORDER_MAGIC);
    if (in.int32(magicAt) != BYTE_ORDER_MAGIC) {
      throw in.broken("a section with an invalid byte-order magic");
    }
    startBlock(in.uint32(lengthAt));
    bodyLeft -= Integer.BYTES;
    require(SECTION_BODY_LENGTH - Integer.BYTES, "a section header");
    if (in.uint16(0) != 1) {
      throw in.broken("unsupported pcapng version " + in.uint16(0));
    }
    interfaces.clear();
    endBlock();
  }

  private void readInterface() throws IOException {
    captured(0, 0);
    require(INTERFACE_BODY_LENGTH, "an interface");
    int number = in.uint16(0);
    long snapLength = in.uint32(4);
    int resolution = TimeScale.MICROS;
    long offsetSeconds = 0;
    while (bodyLeft >= 4) {
      require(4, "an option");
      int code = in.uint16(0);
      int length = in.uint16(2);
      if (code == END_OF_OPTIONS) {
        break;
      }
      int padded = length + 3 & ~3;
      require(padded, "an option");
      if (code == IF_TSRESOL && length == 1) {
        resolution = in.uint8(0);
      } else if (code == IF_TSOFFSET && length == Long.BYTES) {
        offsetSeconds = in.int64(0);
      }
    }
    if (interfaces.size() == MAX_INTERFACES) {
      throw in.broken("more than " + MAX_INTERFACES + " interfaces in a section");
    }
    TimeScale scale = new TimeScale(resolution, offsetSeconds);
    interfaces.add(new Interface(number, LinkType.of(number), snapLength, scale));
  }

  private void readPacketBlock(int type) throws IOException {
    captured(0, 0);
    require(PACKET_BODY_LENGTH, "a packet's header");
    Interface from = found(type == PACKET ? in.uint16(0) : in.uint32(0));
    timeMicros = from.scale.toMicros(in.uint32(4) << 32 | in.uint32(8));
    wireLength = in.uint32(16);
    readBytes(checkLength(in.uint32(12)));
  }

  private void readSimplePacket() throws IOException {
    captured(0, 0);
    require(Integer.BYTES, "a packet's header");
    wireLength = in.uint32(0);
    Interface from = found(0);
    long captured = Math.min(wireLength, bodyLeft);
    if (from.snapLength > 0) {
      captured = Math.min(captured, from.snapLength);
    }
    readBytes(checkLength(captured));
  }

  private void readBytes(int length) throws IOException {
    require(length, "a packet");
    captured(0, length);
  }

  private Interface found(long number) throws CaptureException {
    if (number >= interfaces.size()) {
      throw in.broken("a packet of unknown interface " + number);
    }
    Interface found = interfaces.get((int) number);
    interfaceNumber = (int) number;
    linkNumber = found.linkNumber;
    linkType = found.linkType;
    return found;
  }
}
