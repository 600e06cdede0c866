package io.millrace.datasets.keyvalue;

import io.millrace.datasets.DatasetException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The file of a key-value set. All numbers are little-endian; each section begins at a multiple of
 * 4,096 bytes and has its own CRC-32C.
 *
 * <pre>
 *   0        4         6       8             16         24         32
 *   +--------+---------+-------+-------------+----------+----------+--
 *   | "MRKV" | version | flags | fingerprint | IPv4     | IPv6     |
 *   |        | 1       | 0     |             | keys     | keys     |
 *   +--------+---------+-------+-------------+----------+----------+--
 *   32            40       48       52     56                 200           208     212
 *   --+-------------+--------+--------+------+--- seven ... ---+-------------+-------+
 *     | offset      | length | CRC    | 0    |    sections     | file length | CRC   |
 *   --+-------------+--------+--------+------+-----------------+-------------+-------+
 *
 *   NAMES       blocks of 128 texts, see NameBlocks
 *   NAME_INDEX  where each block of texts begins in NAMES, and where the last one ends: 8 bytes each
 *   KEYS_V4     addresses in ascending order, 4 bytes each: 1,024 are a block
 *   KEYS_V6     the same, 16 bytes each (upper half first): 256 are a block
 *   SPARSE_V4   the first key of each block of KEYS_V4, 8 bytes each
 *   SPARSE_V6   the same for KEYS_V6, 16 bytes each
 *   FILTER      see KeyFilter
 * </pre>
 *
 * The ordinal of an IPv4 address is its place in KEYS_V4, that of an IPv6 address its place in
 * KEYS_V6 behind all of IPv4. A file that is written in part has no header yet.
 */
final class KeyValueLayout {
  static final int HEADER_LENGTH = 212;
  static final int ALIGNMENT = 4096;
  static final int VERSION = 1;
  static final int V4_KEYS_PER_BLOCK = ALIGNMENT / Integer.BYTES;
  static final int V6_KEYS_PER_BLOCK = ALIGNMENT / (2 * Long.BYTES);

  /** Ordinals are an {@code int}; a search may look a block further, a cache needs two values. */
  static final int MAX_KEYS = Integer.MAX_VALUE - V4_KEYS_PER_BLOCK;

  private static final int MAGIC = 'M' | 'R' << 8 | 'K' << 16 | 'V' << 24;

  /** The parts of the file, in the order of their entries in the header. */
  enum Section {
    NAMES,
    NAME_INDEX,
    KEYS_V4,
    KEYS_V6,
    SPARSE_V4,
    SPARSE_V6,
    FILTER
  }

  static final int SECTIONS = Section.values().length;

  private KeyValueLayout() {}

  /** What the header says. */
  static final class Header {
    long fingerprint;
    long v4Keys;
    long v6Keys;
    final long[] offset = new long[SECTIONS];
    final long[] length = new long[SECTIONS];
    final int[] crc = new int[SECTIONS];
    long fileLength;

    long offset(Section section) {
      return offset[section.ordinal()];
    }

    long length(Section section) {
      return length[section.ordinal()];
    }

    int crc(Section section) {
      return crc[section.ordinal()];
    }

    ByteBuffer encode() {
      ByteBuffer bytes = ByteBuffer.allocate(HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
      bytes.putInt(MAGIC).putShort((short) VERSION).putShort((short) 0);
      bytes.putLong(fingerprint).putLong(v4Keys).putLong(v6Keys);
      for (int i = 0; i < SECTIONS; i++) {
        bytes.putLong(offset[i]).putLong(length[i]).putInt(crc[i]).putInt(0);
      }
      bytes.putLong(fileLength);
      bytes.putInt(crcOf(bytes.array()));
      return bytes.flip();
    }

    /**
     * Reads a header and checks all that follows from it and the file's length.
     *
     * @throws DatasetException if the file cannot be used, says why and what to do
     */
    static Header decode(Path file, ByteBuffer bytes, long fileLength) throws DatasetException {
      bytes.order(ByteOrder.LITTLE_ENDIAN);
      if (bytes.remaining() < HEADER_LENGTH || bytes.getInt(0) != MAGIC) {
        throw new DatasetException(
            file, "is not a built data set; make one with: millrace dataset build");
      }
      int version = bytes.getShort(4);
      int flags = bytes.getShort(6);
      if (version != VERSION || flags != 0) {
        throw new DatasetException(
            file,
            "has version "
                + version
                + " and flags "
                + flags
                + ", this release reads version "
                + VERSION
                + "; build it again");
      }
      byte[] copy = new byte[HEADER_LENGTH];
      bytes.get(0, copy);
      if (bytes.getInt(HEADER_LENGTH - Integer.BYTES) != crcOf(copy)) {
        throw new DatasetException(file, "its header is damaged; build it again");
      }
      bytes.position(8);
      Header header = new Header();
      header.fingerprint = bytes.getLong();
      header.v4Keys = bytes.getLong();
      header.v6Keys = bytes.getLong();
      for (int i = 0; i < SECTIONS; i++) {
        header.offset[i] = bytes.getLong();
        header.length[i] = bytes.getLong();
        header.crc[i] = bytes.getInt();
        bytes.getInt();
      }
      header.fileLength = bytes.getLong();
      if (header.fileLength != fileLength) {
        throw new DatasetException(
            file,
            "is "
                + fileLength
                + " bytes long and should be "
                + header.fileLength
                + "; copy or build it again");
      }
      return header;
    }

    private static int crcOf(byte[] header) {
      CRC32C crc = new CRC32C();
      crc.update(header, 0, HEADER_LENGTH - Integer.BYTES);
      return (int) crc.getValue();
    }
  }
}
