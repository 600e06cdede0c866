package io.millrace.datasets.keyvalue;

import io.millrace.datasets.DatasetException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The file of a key-value set. All numbers are little-endian; each section begins at a multiple of
 * 4,096 bytes and has its own CRC-32C.
 *
 * <pre>
 *   0        4         6       8             16         24         32
 *   +--------+---------+-------+-------------+----------+----------+--
 *   | "MRKV" | version | flags | fingerprint | IPv4     | IPv6     |
 *   |        | 1 or 2  | 0     |             | keys     | keys     |
 *   +--------+---------+-------+-------------+----------+----------+--
 *   32            40       48       52     56                  200           208     212
 *   --+-------------+--------+--------+------+--- seven ... ---+-------------+-------+
 *     | offset      | length | CRC    | 0    |    sections     | file length | CRC   |  version 1
 *   --+-------------+--------+--------+------+-----------------+-------------+-------+
 *                                                              272       280           288   292
 *   --+-------------+--------+--------+------+--- ten ... -----+---------+-------------+-----+
 *     | offset      | length | CRC    | 0    |    sections     | domains | file length | CRC |  2
 *   --+-------------+--------+--------+------+-----------------+---------+-------------+-----+
 *
 *   NAMES       blocks of 128 texts, see NameBlocks
 *   NAME_INDEX  start of each block in NAMES, and the end of the last: 8 bytes each
 *   KEYS_V4     addresses in ascending order, 4 bytes each, in blocks of 1,024
 *   KEYS_V6     the same, 16 bytes each (upper half first), in blocks of 256
 *   SPARSE_V4   the first key of each block of KEYS_V4, 8 bytes each
 *   SPARSE_V6   the same for KEYS_V6, 16 bytes each
 *   FILTER      see KeyFilter
 *
 *   DOMAINS       the distinct domains of the names, in blocks as NAMES
 *   DOMAIN_INDEX  as NAME_INDEX
 *   DOMAIN_OF     for each ordinal of a name 0, or 1 + the ordinal of its domain, in 1 to 4 bytes
 *                 depending on the number of domains; padded with three bytes, so that each can be
 *                 read as an int
 * </pre>
 *
 * The last three are in version 2 only: a file without domains has version 1.
 *
 * <p>The ordinal of an IPv4 address is its position in KEYS_V4, that of an IPv6 address its
 * position in KEYS_V6 after all of IPv4. A partially written file has no header.
 */
final class KeyValueLayout {
  static final int MAX_HEADER_LENGTH = 292;
  static final int ALIGNMENT = 4096;
  static final int V4_KEYS_PER_BLOCK = ALIGNMENT / Integer.BYTES;
  static final int V6_KEYS_PER_BLOCK = ALIGNMENT / (2 * Long.BYTES);

  /**
   * Maximum number of names and domains together. Ordinals are {@code int}s; a search may read one
   * block ahead, and a cache needs two special values.
   */
  static final int MAX_KEYS = Integer.MAX_VALUE - V4_KEYS_PER_BLOCK;

  private static final int MAGIC = 'M' | 'R' << 8 | 'K' << 16 | 'V' << 24;

  enum Section {
    NAMES,
    NAME_INDEX,
    KEYS_V4,
    KEYS_V6,
    SPARSE_V4,
    SPARSE_V6,
    FILTER,
    DOMAINS,
    DOMAIN_INDEX,
    DOMAIN_OF
  }

  private static final int VERSION_WITHOUT_DOMAINS = 1;
  private static final int VERSION = 2;
  private static final int SECTIONS = Section.values().length;
  private static final int SECTIONS_WITHOUT_DOMAINS = Section.DOMAINS.ordinal();
  private static final int FIXED = 32;
  private static final int ENTRY = 24;
  private static final int TRAILER = Long.BYTES + Integer.BYTES;

  private KeyValueLayout() {}

  static int domainWidth(long domains) {
    return domains < 1 << 8 ? 1 : domains < 1 << 16 ? 2 : domains < 1 << 24 ? 3 : 4;
  }

  static final int DOMAIN_PADDING = Integer.BYTES - 1;

  static final class Header {
    /** Number of domains, or −1 for a file without any. */
    long domains = -1;

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

    boolean hasDomains() {
      return domains >= 0;
    }

    List<Section> sections() {
      return List.of(Section.values())
          .subList(0, hasDomains() ? SECTIONS : SECTIONS_WITHOUT_DOMAINS);
    }

    int encodedLength() {
      return FIXED + sections().size() * ENTRY + (hasDomains() ? Long.BYTES : 0) + TRAILER;
    }

    ByteBuffer encode() {
      ByteBuffer bytes = ByteBuffer.allocate(encodedLength()).order(ByteOrder.LITTLE_ENDIAN);
      bytes.putInt(MAGIC);
      bytes
          .putShort((short) (hasDomains() ? VERSION : VERSION_WITHOUT_DOMAINS))
          .putShort((short) 0);
      bytes.putLong(fingerprint).putLong(v4Keys).putLong(v6Keys);
      for (int i = 0; i < sections().size(); i++) {
        bytes.putLong(offset[i]).putLong(length[i]).putInt(crc[i]).putInt(0);
      }
      if (hasDomains()) {
        bytes.putLong(domains);
      }
      bytes.putLong(fileLength);
      bytes.putInt(crcOf(bytes));
      return bytes.flip();
    }

    static Header decode(Path file, ByteBuffer bytes, long fileLength) throws DatasetException {
      bytes.order(ByteOrder.LITTLE_ENDIAN);
      int available = bytes.remaining();
      if (available < FIXED || bytes.getInt(0) != MAGIC) {
        throw notBuilt(file);
      }
      int version = bytes.getShort(4);
      int flags = bytes.getShort(6);
      if (version < VERSION_WITHOUT_DOMAINS || version > VERSION || flags != 0) {
        throw new DatasetException(
            file,
            "version "
                + version
                + " and flags "
                + flags
                + " not supported, this release reads versions up to "
                + VERSION
                + "; rebuild it");
      }
      Header header = new Header();
      header.domains = version == VERSION_WITHOUT_DOMAINS ? -1 : 0;
      int headerLength = header.encodedLength();
      if (available < headerLength) {
        throw notBuilt(file);
      }
      bytes.position(headerLength - Integer.BYTES);
      if (bytes.getInt(headerLength - Integer.BYTES) != crcOf(bytes)) {
        throw new DatasetException(file, "header is corrupt; rebuild it");
      }
      bytes.position(8);
      header.fingerprint = bytes.getLong();
      header.v4Keys = bytes.getLong();
      header.v6Keys = bytes.getLong();
      for (int i = 0; i < header.sections().size(); i++) {
        header.offset[i] = bytes.getLong();
        header.length[i] = bytes.getLong();
        header.crc[i] = bytes.getInt();
        bytes.getInt();
      }
      if (header.hasDomains()) {
        header.domains = bytes.getLong();
      }
      header.fileLength = bytes.getLong();
      if (header.fileLength != fileLength) {
        throw new DatasetException(
            file,
            "length is "
                + fileLength
                + " bytes, expected "
                + header.fileLength
                + "; copy it again or rebuild it");
      }
      return header;
    }

    private static DatasetException notBuilt(Path file) {
      return new DatasetException(
          file, "not a built data set; build one with millrace dataset build");
    }

    /** Checksum of the bytes before the position. */
    private static int crcOf(ByteBuffer bytes) {
      CRC32C crc = new CRC32C();
      crc.update(bytes.duplicate().flip());
      return (int) crc.getValue();
    }
  }
}
