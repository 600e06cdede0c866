package io.millrace.datasets.csv;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;

/**
 * Reader of CSV records (RFC 4180), plain or gzip, as fields in a byte buffer.
 *
 * <p>The delimiter is comma, semicolon or tab, whichever comes first in the first record. A quoted
 * field may contain delimiters, line ends and doubled quotes; blanks around an unquoted field are
 * ignored. Empty lines and lines that begin with {@code #} are skipped. An invalid record has a
 * {@link #fault}; reading continues after its first line. Not thread-safe.
 */
public final class CsvReader implements Closeable {
  /** Maximum record length in bytes, so that an unmatched quote does not consume the file. */
  public static final int MAX_RECORD_BYTES = 1 << 20;

  private static final int BUFFER_BYTES = 1 << 18;
  private static final int GZIP_MAGIC = 0x1F8B;

  private final CountingStream raw;
  private final InputStream in;
  private byte[] buffer = new byte[BUFFER_BYTES];
  private int position;
  private int limit;
  private boolean end;
  private byte delimiter = ',';

  private int[] starts = new int[16];
  private int[] ends = new int[16];
  private boolean[] doubled = new boolean[16];
  private int fields;
  private long line;
  private long nextLine = 1;
  private String fault;

  private CsvReader(CountingStream raw, InputStream in) {
    this.raw = raw;
    this.in = in;
  }

  /** Opens a file; gzip is detected by its first bytes. */
  public static CsvReader open(Path file) throws IOException {
    return read(Files.newInputStream(file));
  }

  /** Reads a stream, which is closed with the reader. */
  public static CsvReader read(InputStream bytes) throws IOException {
    CountingStream raw = new CountingStream(bytes);
    try {
      BufferedInputStream buffered = new BufferedInputStream(raw, 1 << 16);
      buffered.mark(2);
      int magic = buffered.read() << 8 | buffered.read();
      buffered.reset();
      InputStream in = magic == GZIP_MAGIC ? new GZIPInputStream(buffered, 1 << 16) : buffered;
      CsvReader reader = new CsvReader(raw, in);
      reader.skipByteOrderMark();
      reader.findDelimiter();
      return reader;
    } catch (IOException | RuntimeException e) {
      raw.close();
      throw e;
    }
  }

  /**
   * Advances to the next record.
   *
   * @return whether there is one; it may have a {@link #fault}
   * @throws IOException if the file cannot be read, or its gzip data is corrupt or truncated
   */
  public boolean next() throws IOException {
    while (true) {
      if (position == limit && !fill()) {
        return false;
      }
      byte first = buffer[position];
      if (first == '#') {
        skipLine();
      } else if (first == '\n') {
        position++;
        nextLine++;
      } else if (first == '\r'
          && (position + 1 < limit || fill())
          && buffer[position + 1] == '\n') {
        position += 2;
        nextLine++;
      } else {
        break;
      }
    }
    line = nextLine;
    fault = null;
    while (!split()) {
      if (limit - position >= MAX_RECORD_BYTES) {
        faulty("unclosed quote, or line longer than " + MAX_RECORD_BYTES + " bytes");
        return true;
      }
      if (!fill()) {
        end = true;
      }
    }
    return true;
  }

  /**
   * Splits the record into fields; returns false without changes if its end is not buffered yet.
   */
  private boolean split() {
    byte[] bytes = buffer;
    int p = position;
    long lines = nextLine;
    fields = 0;
    while (true) {
      if (fields == starts.length) {
        growFields();
      }
      while (p < limit && bytes[p] == ' ') {
        p++;
      }
      boolean quoted = p < limit && bytes[p] == '"';
      doubled[fields] = false;
      if (quoted) {
        starts[fields] = ++p;
        while (true) {
          if (p == limit) {
            return unclosed();
          }
          byte b = bytes[p++];
          if (b == '\n') {
            lines++;
          } else if (b == '"') {
            if (p == limit && !end) {
              return false;
            }
            if (p == limit || bytes[p] != '"') {
              break;
            }
            doubled[fields] = true;
            p++;
          }
        }
        ends[fields] = p - 1;
      } else {
        starts[fields] = p;
      }
      int from = p;
      while (p < limit && bytes[p] != delimiter && bytes[p] != '\n') {
        p++;
      }
      if (p == limit && !end) {
        return false;
      }
      int to = p;
      while (to > from && isBlank(bytes[to - 1])) {
        to--;
      }
      if (!quoted) {
        ends[fields] = to;
      } else if (to > from) {
        faulty("text after a closing quote");
        return true;
      }
      fields++;
      if (p == limit || bytes[p] == '\n') {
        break;
      }
      p++;
    }
    undouble();
    position = Math.min(p + 1, limit);
    nextLine = lines + 1;
    return true;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\r' || b == '\t';
  }

  private boolean unclosed() {
    if (end) {
      faulty("unclosed quote");
    }
    return end;
  }

  private void undouble() {
    for (int i = 0; i < fields; i++) {
      if (doubled[i]) {
        int to = starts[i];
        for (int from = starts[i]; from < ends[i]; from++) {
          buffer[to++] = buffer[from];
          if (buffer[from] == '"') {
            from++;
          }
        }
        ends[i] = to;
      }
    }
  }

  private void faulty(String what) {
    fields = 0;
    fault = what;
    while (position < limit && buffer[position] != '\n') {
      position++;
    }
    position = Math.min(position + 1, limit);
    nextLine++;
  }

  private void skipLine() throws IOException {
    while (true) {
      while (position < limit && buffer[position] != '\n') {
        position++;
      }
      if (position < limit) {
        position++;
        nextLine++;
        return;
      }
      if (!fill()) {
        return;
      }
    }
  }

  /** Reads more bytes after the unconsumed ones; false at the end of the file. */
  private boolean fill() throws IOException {
    int rest = limit - position;
    System.arraycopy(buffer, position, buffer, 0, rest);
    if (rest > buffer.length / 2) {
      buffer = Arrays.copyOf(buffer, buffer.length * 2);
    }
    position = 0;
    limit = rest;
    int n = in.read(buffer, limit, buffer.length - limit);
    if (n <= 0) {
      return false;
    }
    limit += n;
    return true;
  }

  private void growFields() {
    starts = Arrays.copyOf(starts, fields * 2);
    ends = Arrays.copyOf(ends, fields * 2);
    doubled = Arrays.copyOf(doubled, fields * 2);
  }

  private void skipByteOrderMark() throws IOException {
    boolean more = true;
    while (limit < 3 && more) {
      more = fill();
    }
    if (limit >= 3
        && buffer[0] == (byte) 0xEF
        && buffer[1] == (byte) 0xBB
        && buffer[2] == (byte) 0xBF) {
      position = 3;
    }
  }

  private void findDelimiter() throws IOException {
    int at = position;
    while (true) {
      int to = at;
      while (to < limit && buffer[to] != '\n') {
        to++;
      }
      if (to == limit && limit - position < BUFFER_BYTES / 4 && fill()) {
        at = position; // fill() moved the bytes
        continue;
      }
      if (to < limit && (buffer[at] == '#' || isBlank(at, to))) {
        at = to + 1;
        continue;
      }
      delimiter = first(at, to);
      return;
    }
  }

  private byte first(int from, int to) {
    boolean isQuoted = false;
    for (int i = from; i < to; i++) {
      byte b = buffer[i];
      isQuoted ^= b == '"';
      if (!isQuoted && (b == ',' || b == ';' || b == '\t')) {
        return b;
      }
    }
    return ',';
  }

  private boolean isBlank(int from, int to) {
    int at = from;
    while (at < to && isBlank(buffer[at])) {
      at++;
    }
    return at == to;
  }

  /** Error of the record, which then has no fields; null if none. */
  public String fault() {
    return fault;
  }

  /** Number of fields. */
  public int fields() {
    return fields;
  }

  /** Buffer with the fields; valid until the next {@link #next}. */
  public byte[] bytes() {
    return buffer;
  }

  /** Start of field {@code i} in {@link #bytes()}. */
  public int start(int i) {
    return starts[i];
  }

  /** End of field {@code i}, exclusive. */
  public int end(int i) {
    return ends[i];
  }

  /** Field {@code i} as text, for messages. */
  public String text(int i) {
    return new String(buffer, starts[i], ends[i] - starts[i], StandardCharsets.UTF_8);
  }

  /** First line of the record, counted from 1. */
  public long line() {
    return line;
  }

  /** Bytes read from the file, which may be compressed. */
  public long bytesRead() {
    return raw.count;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  private static final class CountingStream extends FilterInputStream {
    long count;

    CountingStream(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int b = in.read();
      count += b < 0 ? 0 : 1;
      return b;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int n = in.read(bytes, offset, length);
      count += Math.max(n, 0);
      return n;
    }

    @Override
    public boolean markSupported() {
      return false;
    }
  }
}
