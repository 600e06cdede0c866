package io.millrace.wire.nfdump;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;

/**
 * Files of nfcapd with synthetic flows: flow i lasts from second {@code START + i} to 500 ms later,
 * has i + 1 packets of 100 bytes, and is received 2 s after its start.
 */
@SuppressWarnings("ByteBufferBackingArray") // all are allocated here
public final class NfdumpFiles {
  /** Seconds since the epoch. */
  public static final long START = 1_770_000_000;

  /** Exporter of all flows. */
  public static final String EXPORTER = "192.0.2.7";

  private final ByteOrder order;

  private NfdumpFiles(ByteOrder order) {
    this.order = order;
  }

  /** Writes one file of each kind, to be checked with nfdump itself. */
  public static void main(String[] args) throws IOException {
    Path dir = Path.of(args[0]);
    Files.write(dir.resolve("v1"), version1(1_000, 2, false));
    Files.write(dir.resolve("v2"), version2(1_000, 2, 0));
  }

  /** A file of layout version 1. */
  public static byte[] version1(int flows, int blocks, boolean bzip2) throws IOException {
    return new NfdumpFiles(ByteOrder.LITTLE_ENDIAN).layout1(flows, blocks, bzip2);
  }

  /** The same file written on a machine of the other byte order. */
  public static byte[] bigEndian(int flows) throws IOException {
    return new NfdumpFiles(ByteOrder.BIG_ENDIAN).layout1(flows, 1, false);
  }

  /**
   * A file of layout version 2.
   *
   * @param compression its code: 0 for none, 2 for bzip2, 4 for zstd
   */
  public static byte[] version2(int flows, int blocks, int compression) throws IOException {
    return new NfdumpFiles(ByteOrder.LITTLE_ENDIAN).layout2(flows, blocks, compression);
  }

  private ByteBuffer buffer(int size) {
    return ByteBuffer.allocate(size).order(order);
  }

  private byte[] layout1(int flows, int blocks, boolean bzip2) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteBuffer head = buffer(12 + 128 + 136);
    head.putShort((short) 0xA50C).putShort((short) 1).putInt(bzip2 ? 8 : 0).putInt(blocks);
    head.put("test".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    head.position(140);
    head.putLong(flows);
    out.write(head.array());
    for (int block = 0; block < blocks; block++) {
      ByteBuffer records = buffer(flows * 120 + 100);
      int count = 2;
      // Interfaces of 2 bytes, systems of 4, masks, VLANs, next hop, receiver's time.
      records.putShort((short) 2).putShort((short) 24).putShort((short) 5).putShort((short) 32);
      for (int extension : new int[] {4, 7, 8, 13, 9, 27, 0, 0}) {
        records.putShort((short) extension);
      }
      exporter(records);
      for (int i = block * flows / blocks; i < (block + 1) * flows / blocks; i++, count++) {
        record1(records, i);
      }
      block(out, count, 2, records, bzip2 ? 2 : 0);
    }
    return out.toByteArray();
  }

  private static void exporter(ByteBuffer records) {
    records.putShort((short) 7).putShort((short) 32).putInt(9);
    records.putLong(0).putInt(0).putInt(0xC000_0207);
    records.putShort((short) 2).putShort((short) 3).putInt(77);
  }

  private static void record1(ByteBuffer out, int i) {
    int start = out.position();
    boolean isV6 = i % 4 == 3;
    boolean isLarge = i % 5 == 4;
    out.putShort((short) 10).putShort((short) 0);
    out.putShort((short) ((isV6 ? 1 : 0) | (isLarge ? 6 : 0))).putShort((short) 5);
    out.putShort((short) 0).putShort((short) 500);
    out.putInt((int) START + i).putInt((int) START + i);
    out.put((byte) 64).put((byte) 0x1B).put((byte) (i % 7 == 6 ? 1 : 6)).put((byte) 8);
    out.putShort((short) (1_024 + i)).putShort((short) (i % 7 == 6 ? 0x0301 : 443));
    out.putShort((short) 3).putShort((short) 0);
    addresses(out, i, isV6);
    if (isLarge) {
      out.putLong(i + 1).putLong(100L * (i + 1));
    } else {
      out.putInt(i + 1).putInt(100 * (i + 1));
    }
    out.putShort((short) 11).putShort((short) 12);
    out.putInt(64_500).putInt(64_501);
    out.put((byte) 0).put((byte) 1).put((byte) 24).put((byte) 16);
    out.putShort((short) 100).putShort((short) 200);
    out.putInt(0xC633_6401);
    out.putLong((START + i + 2) * 1_000);
    out.putShort(start + 2, (short) (out.position() - start));
  }

  private static void addresses(ByteBuffer out, int i, boolean isV6) {
    if (isV6) {
      out.putLong(0x2001_0DB8_0000_0000L).putLong(i).putLong(0x2001_0DB8_0000_0001L).putLong(9);
    } else {
      out.putInt(0x0A00_0000 + i).putInt(0xCB00_7105);
    }
  }

  private byte[] layout2(int flows, int blocks, int compression) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int block = 0; block < blocks; block++) {
      ByteBuffer records = buffer(flows * 180 + 100);
      exporter(records);
      int count = 1;
      for (int i = block * flows / blocks; i < (block + 1) * flows / blocks; i++, count++) {
        record2(records, i);
      }
      block(body, count, 3, records, compression);
    }
    ByteBuffer head = buffer(40);
    head.putShort((short) 0xA50C).putShort((short) 2).putInt(0x0107_0100).putLong(START);
    head.put((byte) compression).put((byte) 0).putShort((short) 1).putInt(0);
    head.putLong(40 + body.size()).putInt(1 << 20).putInt(blocks);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(head.array());
    body.writeTo(out);
    ByteBuffer ident = buffer(12);
    ident.putShort((short) 0x8001).putShort((short) 12);
    ident.put("test".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    ByteBuffer appendix = buffer(12);
    appendix.putInt(1).putInt(12).putShort((short) 3).putShort((short) 1);
    out.write(appendix.array());
    out.write(ident.array());
    return out.toByteArray();
  }

  private static void record2(ByteBuffer out, int i) {
    int start = out.position();
    boolean isV6 = i % 4 == 3;
    out.putShort((short) 11).putShort((short) 0).putShort((short) 7);
    out.put((byte) 0).put((byte) 0).putShort((short) 3).put((byte) 0).put((byte) 9);
    out.putShort((short) 1).putShort((short) 52);
    out.putLong((START + i) * 1_000).putLong((START + i) * 1_000 + 500);
    out.putLong((START + i + 2) * 1_000).putLong(i + 1).putLong(100L * (i + 1));
    out.putShort((short) (1_024 + i)).putShort((short) (i % 7 == 6 ? 0x0301 : 443));
    out.put((byte) (i % 7 == 6 ? 1 : 6)).put((byte) 0x1B).put((byte) 64).put((byte) 8);
    out.putShort((short) (isV6 ? 3 : 2)).putShort((short) (isV6 ? 36 : 12));
    addresses(out, i, isV6);
    out.putShort((short) 4).putShort((short) 20);
    out.putInt(11).putInt(12).put((byte) 24).put((byte) 16).put((byte) 1).put((byte) 0).putInt(0);
    out.putShort((short) 6).putShort((short) 12).putInt(100).putInt(200);
    out.putShort((short) 7).putShort((short) 12).putInt(64_500).putInt(64_501);
    out.putShort((short) 10).putShort((short) 8).putInt(0xC633_6401);
    out.putShort((short) 15).putShort((short) 36).putLong(0x0200_0000_0001L).putLong(0);
    out.putLong(0x0200_0000_0002L).putLong(0);
    out.putShort(start + 2, (short) (out.position() - start));
  }

  private void block(
      ByteArrayOutputStream out, int count, int type, ByteBuffer records, int compression)
      throws IOException {
    byte[] plain = java.util.Arrays.copyOf(records.array(), records.position());
    byte[] bytes =
        switch (compression) {
          case 2 -> bzip2(plain);
          case 4 -> com.github.luben.zstd.Zstd.compress(plain);
          default -> plain;
        };
    ByteBuffer head = buffer(12);
    head.putInt(count).putInt(bytes.length).putShort((short) type).putShort((short) 0);
    out.write(head.array());
    out.write(bytes);
  }

  private static byte[] bzip2(byte[] plain) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (BZip2CompressorOutputStream packed = new BZip2CompressorOutputStream(out)) {
      packed.write(plain);
    }
    return out.toByteArray();
  }
}
