package io.millrace.wire.packet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads valid pcap and pcapng files of tests; anything else is an exception. */
public final class CaptureFile {
  /**
   * One captured frame.
   *
   * @param number counted from 1, as tshark does
   * @param linkType number of the link type
   * @param bytes what was captured
   * @param wireLength length on the wire
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Frame(int number, int linkType, byte[] bytes, int wireLength) {
    /** Payload of the UDP datagram in this Ethernet frame; null if it is not UDP. */
    public byte[] udpPayload() {
      ByteBuffer b = ByteBuffer.wrap(bytes);
      int at = 12;
      while (b.getShort(at) == (short) 0x8100) {
        at += 4;
      }
      int type = b.getShort(at) & 0xFFFF;
      at += 2;
      int protocol = type == 0x0800 ? b.get(at + 9) : b.get(at + 6);
      at += type == 0x0800 ? (b.get(at) & 15) * 4 : 40;
      if (linkType != 1 || protocol != 17) {
        return null;
      }
      int length = Math.min(b.getShort(at + 4) & 0xFFFF, bytes.length - at);
      return java.util.Arrays.copyOfRange(bytes, at + 8, at + length);
    }

    /** Source port of a frame of Ethernet that has a {@link #udpPayload}. */
    public int udpSource() {
      byte[] payload = udpPayload();
      int at = 12;
      while (ByteBuffer.wrap(bytes).getShort(at) == (short) 0x8100) {
        at += 4;
      }
      boolean isV4 = ByteBuffer.wrap(bytes).getShort(at) == 0x0800;
      at += 2;
      at += isV4 ? (bytes[at] & 15) * 4 : 40;
      return payload == null ? -1 : ByteBuffer.wrap(bytes).getShort(at) & 0xFFFF;
    }

    /** Source address of this frame of Ethernet and IPv4, as 32 bits. */
    public int ipv4Source() {
      return ByteBuffer.wrap(bytes).getInt(14 + 12);
    }
  }

  private CaptureFile() {}

  /** All frames of a file. */
  public static List<Frame> read(Path file) throws IOException {
    ByteBuffer b = ByteBuffer.wrap(Files.readAllBytes(file));
    List<Frame> frames = new ArrayList<>();
    if (b.getInt(0) == 0x0A0D0D0A) {
      readBlocks(b, frames);
      return frames;
    }
    int magic = b.getInt(0);
    boolean little = magic == 0xD4C3B2A1 || magic == 0x4D3CB2A1;
    b.order(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    int link = b.getInt(20) & 0xFFFF;
    int at = 24;
    while (at + 16 <= b.capacity() && at + 16 + b.getInt(at + 8) <= b.capacity()) {
      int length = b.getInt(at + 8);
      frames.add(frame(frames.size() + 1, link, b, at + 16, length, b.getInt(at + 12)));
      at += 16 + length;
    }
    return frames;
  }

  private static void readBlocks(ByteBuffer b, List<Frame> frames) {
    List<Integer> links = new ArrayList<>();
    int at = 0;
    while (at + 12 <= b.capacity()) {
      if (b.getInt(at) == 0x0A0D0D0A) {
        b.order(
            b.order(ByteOrder.BIG_ENDIAN).getInt(at + 8) == 0x1A2B3C4D
                ? ByteOrder.BIG_ENDIAN
                : ByteOrder.LITTLE_ENDIAN);
        links.clear();
      }
      int type = b.getInt(at);
      if (type == 1) {
        links.add(b.getShort(at + 8) & 0xFFFF);
      } else if (type == 6) {
        int link = links.get(b.getInt(at + 8));
        int length = b.getInt(at + 20);
        frames.add(frame(frames.size() + 1, link, b, at + 28, length, b.getInt(at + 24)));
      }
      at += b.getInt(at + 4);
    }
  }

  private static Frame frame(
      int number, int link, ByteBuffer b, int at, int length, int wireLength) {
    byte[] bytes = new byte[length];
    b.get(at, bytes);
    return new Frame(number, link, bytes, wireLength);
  }
}
