package io.millrace.datasets.keyvalue;

import io.millrace.datasets.Fingerprint;
import io.millrace.datasets.keyvalue.KeyValueLayout.Header;
import io.millrace.datasets.keyvalue.KeyValueLayout.Section;
import io.millrace.wire.block.Addresses;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** Writes texts directly, keys and domains through temporary files, filter and header last. */
final class KeyValueWriter implements Closeable {
  private static final int READ_BUFFER = 1 << 20;

  private final Path keysV4File;
  private final Path keysV6File;
  private final SectionFile out;
  private final SectionFile keysV4;
  private final SectionFile keysV6;
  private final DomainWriter domains;
  private final TextBlocks.Writer names;
  private final Header header = new Header();

  KeyValueWriter(Path file, BuildDirectory directory, boolean withDomains) throws IOException {
    keysV4File = directory.file("keys-v4");
    keysV6File = directory.file("keys-v6");
    out = new SectionFile(file);
    keysV4 = new SectionFile(keysV4File);
    keysV6 = new SectionFile(keysV6File);
    domains = withDomains ? new DomainWriter(directory.file("domains")) : null;
    out.putLong(0);
    begin(Section.NAMES);
    names = new TextBlocks.Writer(out);
  }

  /** Adds a name. Called for IPv4 first, then IPv6, each in ascending order, without duplicates. */
  void add(boolean isV4, long high, long low, byte[] name, int offset, int length)
      throws IOException {
    if (isV4) {
      keysV4.putInt((int) low);
      header.v4Keys++;
    } else {
      keysV6.putLong(high);
      keysV6.putLong(low);
      header.v6Keys++;
    }
    names.add(name, offset, length);
    if (domains != null) {
      domains.add(name, offset, length);
    }
  }

  long keys() {
    return header.v4Keys + header.v6Keys;
  }

  long texts() {
    return keys() + (domains == null ? 0 : domains.size());
  }

  void finish() throws IOException {
    long[] nameIndex = names.finish();
    end(Section.NAMES);
    KeyFilter filter = new KeyFilter(keys());
    keysV4.close();
    keysV6.close();
    long[] sparseV4 = copyV4(filter);
    long[] sparseV6 = copyV6(filter);
    put(Section.SPARSE_V4, sparseV4);
    put(Section.SPARSE_V6, sparseV6);
    put(Section.NAME_INDEX, nameIndex);
    put(Section.FILTER, filter.words());
    if (domains != null) {
      finishDomains();
    }
    header.fileLength = out.position();
    header.fingerprint = fingerprint();
    out.finish(header.encode());
  }

  private void finishDomains() throws IOException {
    header.domains = domains.size();
    begin(Section.DOMAINS);
    long[] index = domains.writeTexts(out);
    end(Section.DOMAINS);
    put(Section.DOMAIN_INDEX, index);
    begin(Section.DOMAIN_OF);
    domains.writeOrdinals(out);
    end(Section.DOMAIN_OF);
  }

  private long[] copyV4(KeyFilter filter) throws IOException {
    int perBlock = KeyValueLayout.V4_KEYS_PER_BLOCK;
    long[] sparse = new long[(int) ((header.v4Keys + perBlock - 1) / perBlock)];
    begin(Section.KEYS_V4);
    try (InputBytes in = new InputBytes(keysV4File, READ_BUFFER)) {
      for (int i = 0; i < header.v4Keys; i++) {
        int key = in.getInt();
        out.putInt(key);
        filter.add(0, Addresses.v4Low(key));
        if (i % perBlock == 0) {
          sparse[i / perBlock] = key;
        }
      }
    }
    end(Section.KEYS_V4);
    return sparse;
  }

  private long[] copyV6(KeyFilter filter) throws IOException {
    int perBlock = KeyValueLayout.V6_KEYS_PER_BLOCK;
    long[] sparse = new long[2 * (int) ((header.v6Keys + perBlock - 1) / perBlock)];
    begin(Section.KEYS_V6);
    try (InputBytes in = new InputBytes(keysV6File, READ_BUFFER)) {
      for (int i = 0; i < header.v6Keys; i++) {
        long high = in.getLong();
        long low = in.getLong();
        out.putLong(high);
        out.putLong(low);
        filter.add(high, low);
        if (i % perBlock == 0) {
          sparse[2 * (i / perBlock)] = high;
          sparse[2 * (i / perBlock) + 1] = low;
        }
      }
    }
    end(Section.KEYS_V6);
    return sparse;
  }

  private void put(Section section, long[] longs) throws IOException {
    begin(section);
    for (long word : longs) {
      out.putLong(word);
    }
    end(section);
  }

  private void begin(Section section) throws IOException {
    out.align(KeyValueLayout.ALIGNMENT);
    header.offset[section.ordinal()] = out.position();
  }

  private void end(Section section) throws IOException {
    int i = section.ordinal();
    header.length[i] = out.position() - header.offset[i];
    header.crc[i] = out.crc();
  }

  /** Fingerprint of keys and texts, which determine all other sections. */
  private long fingerprint() {
    Fingerprint fingerprint = new Fingerprint();
    Set<Section> content = EnumSet.of(Section.NAMES, Section.KEYS_V4, Section.KEYS_V6);
    if (header.hasDomains()) {
      content.addAll(EnumSet.of(Section.DOMAINS, Section.DOMAIN_OF));
    }
    for (Section section : content) {
      fingerprint.add(header.length(section));
      fingerprint.add(header.crc(section));
    }
    return fingerprint.value();
  }

  @Override
  public void close() throws IOException {
    try (keysV4;
        keysV6;
        domains) {
      out.close();
    }
  }
}
