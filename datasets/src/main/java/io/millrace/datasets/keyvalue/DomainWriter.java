package io.millrace.datasets.keyvalue;

import io.millrace.datasets.text.Domains;
import io.millrace.datasets.text.Texts;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** Buffers the domain of each name in a file until the number of domains is known. */
final class DomainWriter implements Closeable {
  private static final int READ_BUFFER = 1 << 20;

  private final Domains domains = new Domains();
  private final Path file;
  private final SectionFile aside;
  private long names;

  DomainWriter(Path file) throws IOException {
    this.file = file;
    aside = new SectionFile(file);
  }

  void add(byte[] name, int offset, int length) throws IOException {
    aside.putInt(domains.ordinal(name, offset, length) + 1);
    names++;
  }

  int size() {
    return domains.texts().size();
  }

  long[] writeTexts(SectionFile out) throws IOException {
    TextBlocks.Writer writer = new TextBlocks.Writer(out);
    Texts texts = domains.texts();
    for (int i = 0; i < texts.size(); i++) {
      writer.add(texts.bytes(), texts.start(i), texts.length(i));
    }
    return writer.finish();
  }

  void writeOrdinals(SectionFile out) throws IOException {
    aside.close();
    int width = KeyValueLayout.domainWidth(size());
    byte[] bytes = new byte[Integer.BYTES];
    try (InputBytes in = new InputBytes(file, READ_BUFFER)) {
      for (long i = 0; i < names; i++) {
        LittleEndian.INT.set(bytes, 0, in.getInt());
        out.put(bytes, 0, width);
      }
    }
    LittleEndian.INT.set(bytes, 0, 0);
    out.put(bytes, 0, KeyValueLayout.DOMAIN_PADDING);
  }

  @Override
  public void close() throws IOException {
    aside.close();
  }
}
