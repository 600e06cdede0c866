package io.millrace.datasets.keyvalue;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

final class InputBytes implements Closeable {
  private final InputStream in;
  private final byte[] buffer;
  private int position;
  private int limit;

  /** The buffer must be longer than any single item. */
  InputBytes(Path file, int bufferBytes) throws IOException {
    in = Files.newInputStream(file);
    buffer = new byte[bufferBytes];
  }

  /** Loads and skips the next {@code length} bytes; returns their start in {@link #bytes()}. */
  int take(int length) throws IOException {
    if (limit - position < length) {
      System.arraycopy(buffer, position, buffer, 0, limit - position);
      limit -= position;
      position = 0;
      while (limit < length) {
        int n = in.read(buffer, limit, buffer.length - limit);
        if (n < 0) {
          throw new EOFException("temporary file truncated");
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
