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
 *   NAME_INDEX  where each block of texts begins in NAMES, and where the last one ends: 8 bytes each
 *   KEYS_V4     addresses in ascending order, 4 bytes each: 1,024 are a block
 *   KEYS_V6     the same, 16 bytes each (upper half first): 256 are a block
 *   SPARSE_V4   the first key of each block of KEYS_V4, 8 bytes each
 *   SPARSE_V6   the same for KEYS_V6, 16 bytes each
 *   FILTER      see KeyFilter
 *
 *   DOMAINS       the different domains of the names, in blocks as NAMES
 *   DOMAIN_INDEX  as NAME_INDEX
 *   DOMAIN_OF     for each ordinal of a name 0, or 1 and the ordinal of its domain, in as few bytes as
 *                 the number of domains needs, 1 to 4; behind them three bytes of nothing, so that
 *                 each can be read as four
 * </pre>
 *
 * The last three are in files of version 2 only: a file of names without domains has version 1.
 *
 * <p>The ordinal of an IPv4 address is its place in KEYS_V4, that of an IPv6 address its place in
 * KEYS_V6 behind all of IPv4. A file that is written in part has no header yet.
 */
final class KeyValueLayout {
  static final int MAX_HEADER_LENGTH = 292;
  static final int ALIGNMENT = 4096;
  static final int V4_KEYS_PER_BLOCK = ALIGNMENT / Integer.BYTES;
  static final int V6_KEYS_PER_BLOCK = ALIGNMENT / (2 * Long.BYTES);

  /**
   * Of names and domains together. Ordinals are an {@code int}; a search may look a block further,
   * a cache needs two values.
   */
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

  /** Bytes that a domain's ordinal and one more take. */
  static int domainWidth(long domains) {
    return domains < 1 << 8 ? 1 : domains < 1 << 16 ? 2 : domains < 1 << 24 ? 3 : 4;
  }

  /** Bytes of DOMAIN_OF behind the last ordinal. */
  static final int DOMAIN_PADDING = Integer.BYTES - 1;

  /** What the header says. */
  static final class Header {
    /** Number of domains, or −1 in a file without any. */
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

    /** The sections that the file has. */
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

    /**
     * Reads a header and checks all that follows from it and the file's length.
     *
     * @throws DatasetException if the file cannot be used, says why and what to do
     */
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
            "has version "
                + version
                + " and flags "
                + flags
                + ", this release reads versions up to "
                + VERSION
                + "; build it again");
      }
      Header header = new Header();
      header.domains = version == VERSION_WITHOUT_DOMAINS ? -1 : 0;
      int headerLength = header.encodedLength();
      if (available < headerLength) {
        throw notBuilt(file);
      }
      bytes.position(headerLength - Integer.BYTES);
      if (bytes.getInt(headerLength - Integer.BYTES) != crcOf(bytes)) {
        throw new DatasetException(file, "its header is damaged; build it again");
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
            "is "
                + fileLength
                + " bytes long and should be "
                + header.fileLength
                + "; copy or build it again");
      }
      return header;
    }

    private static DatasetException notBuilt(Path file) {
      return new DatasetException(
          file, "is not a built data set; make one with: millrace dataset build");
    }

    /** The checksum of what lies in front of the position. */
    private static int crcOf(ByteBuffer bytes) {
      CRC32C crc = new CRC32C();
      crc.update(bytes.duplicate().flip());
      return (int) crc.getValue();
    }
  }
}
