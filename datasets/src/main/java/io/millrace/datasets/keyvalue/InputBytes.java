package io.millrace.datasets.keyvalue;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads back what {@link SectionFile} wrote, from front to back. */
final class InputBytes implements Closeable {
  private final InputStream in;
  private final byte[] buffer;
  private int position;
  private int limit;

  /** A reader with a buffer that is longer than any single item. */
  InputBytes(Path file, int bufferBytes) throws IOException {
    in = Files.newInputStream(file);
    buffer = new byte[bufferBytes];
  }

  /** Makes the next {@code length} bytes lie in {@link #bytes()}; gives where, and passes them. */
  int take(int length) throws IOException {
    if (limit - position < length) {
      System.arraycopy(buffer, position, buffer, 0, limit - position);
      limit -= position;
      position = 0;
      while (limit < length) {
        int n = in.read(buffer, limit, buffer.length - limit);
        if (n < 0) {
          throw new EOFException("a temporary file ends early");
        }
        limit += n;
      }
    }
    position += length;
    return position - length;
  }

  byte[] bytes() {
    return buffer;
  }

  int getShort() throws IOException {
    return (short) LittleEndian.SHORT.get(buffer, take(Short.BYTES)) & 0xFFFF;
  }

  int getInt() throws IOException {
    return (int) LittleEndian.INT.get(buffer, take(Integer.BYTES));
  }

  long getLong() throws IOException {
    return (long) LittleEndian.LONG.get(buffer, take(Long.BYTES));
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
