package io.millrace.datasets.keyvalue;

import static java.nio.file.StandardOpenOption.READ;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.Field;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.keyvalue.KeyValueLayout.Header;
import io.millrace.datasets.keyvalue.KeyValueLayout.Section;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A built file of texts by address. The heap holds the filter and the sparse indexes, about 1.4
 * bytes per key; keys and texts are memory-mapped. Records and text ordinals are positions of keys
 * in order. A file with domains may have them as a second field, with far fewer texts, each shared
 * by many records.
 *
 * <p>Opening reads and checks the header and the heap parts; {@link #verify} reads everything.
 */
public final class KeyValueDataset implements Dataset {
  private static final int V6_SHARE_OF_HOT_KEYS = 4;

  private final String name;
  private final Path file;
  private final List<Field> fields;
  private final int hotKeys;
  private final Header header;
  private final KeyIndex keys;
  private final TextBlocks names;
  private final TextBlocks domains;
  private final DomainOf domainOf;
  private final long heapBytes;

  private KeyValueDataset(
      String name, Path file, List<Field> fields, int hotKeys, Header header, FileChannel channel)
      throws IOException {
    this.name = name;
    this.file = file;
    this.fields = header.hasDomains() ? List.copyOf(fields) : List.of(fields.get(0));
    this.hotKeys = hotKeys;
    this.header = header;
    checkLengths();
    long[] sparseV4 = longs(channel, Section.SPARSE_V4);
    long[] sparseV6 = longs(channel, Section.SPARSE_V6);
    long[] filter = longs(channel, Section.FILTER);
    names = texts(channel, Section.NAMES, Section.NAME_INDEX, records());
    boolean withDomains = this.fields.size() > 1;
    domains =
        withDomains
            ? texts(channel, Section.DOMAINS, Section.DOMAIN_INDEX, (int) header.domains)
            : null;
    domainOf =
        withDomains
            ? new DomainOf(
                map(channel, Section.DOMAIN_OF), KeyValueLayout.domainWidth(header.domains))
            : null;
    keys =
        new KeyIndex(
            new KeyFilter(filter),
            sparseV4,
            map(channel, Section.KEYS_V4),
            (int) header.v4Keys,
            sparseV6,
            map(channel, Section.KEYS_V6),
            (int) header.v6Keys);
    heapBytes = keys.heapBytes() + names.heapBytes() + (withDomains ? domains.heapBytes() : 0);
  }

  /**
   * Opens a built file.
   *
   * @param name name of the set
   * @param file the file
   * @param fields the text field, and optionally a field for domains, which is ignored if the file
   *     has none
   * @param hotKeys cached IPv4 addresses of each lookup, and a quarter as many IPv6 addresses
   * @throws DatasetException if the file is not a built data set, of another version, truncated or
   *     corrupt
   * @throws IOException if it cannot be read
   */
  public static KeyValueDataset open(String name, Path file, List<Field> fields, int hotKeys)
      throws IOException {
    try (FileChannel channel = FileChannel.open(file, READ)) {
      return new KeyValueDataset(name, file, fields, hotKeys, header(file, channel), channel);
    }
  }

  /**
   * Whether a built file has the domains of its names.
   *
   * @throws DatasetException if the file is not a built data set, of another version or truncated
   * @throws IOException if it cannot be read
   */
  public static boolean hasDomains(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, READ)) {
      return header(file, channel).hasDomains();
    }
  }

  private static Header header(Path file, FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(KeyValueLayout.MAX_HEADER_LENGTH);
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {}
    return Header.decode(file, bytes.flip(), channel.size());
  }

  private void checkLengths() throws DatasetException {
    long v4 = header.v4Keys;
    long v6 = header.v6Keys;
    long all = v4 + v6;
    boolean sound = v4 >= 0 && v6 >= 0 && all <= KeyValueLayout.MAX_KEYS;
    for (Section section : header.sections()) {
      sound &=
          header.length(section) >= 0
              && header.offset(section) >= header.encodedLength()
              && header.offset(section) + header.length(section) <= header.fileLength;
    }
    sound &= header.length(Section.KEYS_V4) == v4 * Integer.BYTES;
    sound &= header.length(Section.KEYS_V6) == v6 * 2 * Long.BYTES;
    sound &=
        header.length(Section.SPARSE_V4)
            == Long.BYTES * blocks(v4, KeyValueLayout.V4_KEYS_PER_BLOCK);
    sound &=
        header.length(Section.SPARSE_V6)
            == 2L * Long.BYTES * blocks(v6, KeyValueLayout.V6_KEYS_PER_BLOCK);
    sound &= header.length(Section.NAME_INDEX) == indexLength(all);
    if (header.hasDomains()) {
      sound &= header.domains <= all && header.domains + all <= KeyValueLayout.MAX_KEYS;
      sound &= header.length(Section.DOMAIN_INDEX) == indexLength(header.domains);
      sound &=
          header.length(Section.DOMAIN_OF)
              == all * KeyValueLayout.domainWidth(header.domains) + KeyValueLayout.DOMAIN_PADDING;
    }
    if (!sound) {
      throw new DatasetException(file, "inconsistent sections; rebuild it");
    }
  }

  private static long indexLength(long texts) {
    return Long.BYTES * (blocks(texts, NameBlocks.NAMES_PER_BLOCK) + 1);
  }

  private static long blocks(long keys, int perBlock) {
    return (keys + perBlock - 1) / perBlock;
  }

  private MappedBytes map(FileChannel channel, Section section) throws IOException {
    return new MappedBytes(channel, header.offset(section), header.length(section));
  }

  private TextBlocks texts(FileChannel channel, Section blocks, Section index, int size)
      throws IOException {
    return new TextBlocks(file, map(channel, blocks), longs(channel, index), size);
  }

  private long[] longs(FileChannel channel, Section section) throws IOException {
    long[] longs = new long[Math.toIntExact(header.length(section) / Long.BYTES)];
    int[] next = {0};
    checkedRead(
        channel,
        section,
        chunk -> {
          chunk
              .order(ByteOrder.LITTLE_ENDIAN)
              .asLongBuffer()
              .get(longs, next[0], chunk.remaining() / Long.BYTES);
          next[0] += chunk.remaining() / Long.BYTES;
        });
    return longs;
  }

  private interface Chunks {
    void take(ByteBuffer chunk);
  }

  private void checkedRead(FileChannel channel, Section section, Chunks chunks) throws IOException {
    CRC32C crc = new CRC32C();
    ByteBuffer chunk = ByteBuffer.allocate(1 << 20);
    long at = header.offset(section);
    long end = at + header.length(section);
    while (at < end) {
      chunk.clear().limit((int) Math.min(chunk.capacity(), end - at));
      while (chunk.hasRemaining()) {
        if (channel.read(chunk, at + chunk.position()) < 0) {
          throw new DatasetException(file, "truncated; copy it again or rebuild it");
        }
      }
      at += chunk.flip().remaining();
      crc.update(chunk.array(), 0, chunk.remaining());
      chunks.take(chunk);
    }
    if ((int) crc.getValue() != header.crc(section)) {
      throw new DatasetException(file, "section " + section + " is corrupt; rebuild it");
    }
  }

  void verify() throws IOException {
    try (FileChannel channel = FileChannel.open(file, READ)) {
      for (Section section : header.sections()) {
        checkedRead(channel, section, chunk -> {});
      }
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int records() {
    return (int) (header.v4Keys + header.v6Keys);
  }

  @Override
  public int texts(int field) {
    return field == 0 ? names.size() : domains.size();
  }

  /**
   * Names and domains share one range, domains first, so that ids of domains are small numbers,
   * also for a name that is its own domain and is stored only once.
   */
  @Override
  public int idRange(int field) {
    return 0;
  }

  @Override
  public int firstId(int field) {
    return field == 0 && header.hasDomains() ? (int) header.domains : 0;
  }

  @Override
  public long fingerprint() {
    return header.fingerprint;
  }

  @Override
  public List<Field> fields() {
    return fields;
  }

  /** Heap of filter and indexes; each lookup adds its cache, 14 bytes per hot key. */
  @Override
  public long heapBytes() {
    return heapBytes;
  }

  /** Bytes of mapped keys, which lookups read from disk if they are not cached. */
  public long mappedKeyBytes() {
    return header.length(Section.KEYS_V4) + header.length(Section.KEYS_V6);
  }

  @Override
  public Lookup newLookup() {
    HotKeys hot =
        new HotKeys(
            header.v4Keys == 0 ? 0 : hotKeys,
            header.v6Keys == 0 ? 0 : hotKeys / V6_SHARE_OF_HOT_KEYS);
    return new KeyValueLookup(
        keys, hot, names.newReader(), domainOf, domains == null ? null : domains.newReader());
  }

  /** Does nothing: the file is already closed, and mappings end with their last reference. */
  @Override
  public void close() {}
}
