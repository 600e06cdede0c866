package io.millrace.pipelines.imports;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

final class CountingInput extends FilterInputStream {
  private long position;

  CountingInput(InputStream in) {
    super(in);
  }

  long position() {
    return position;
  }

  @Override
  public int read() throws IOException {
    int read = super.read();
    position += read < 0 ? 0 : 1;
    return read;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int read = super.read(bytes, offset, length);
    position += Math.max(0, read);
    return read;
  }
}
