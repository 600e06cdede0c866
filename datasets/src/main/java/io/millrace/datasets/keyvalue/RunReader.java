package io.millrace.datasets.keyvalue;

import io.millrace.wire.block.Addresses;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

final class RunReader implements Closeable {
  private final InputBytes in;
  private final int number;
  private int v4Left;
  private int v6Left;
  private boolean isV4;
  private long high;
  private long low;
  private int offset;
  private int length;

  /** Opens a run; names of a run with a higher number take precedence. */
  RunReader(Path file, int number, int bufferBytes) throws IOException {
    in = new InputBytes(file, bufferBytes);
    this.number = number;
    v4Left = in.getInt();
    v6Left = in.getInt();
  }

  boolean next() throws IOException {
    isV4 = v4Left > 0;
    if (isV4) {
      v4Left--;
      high = 0;
      low = Addresses.v4Low(in.getInt());
    } else if (v6Left > 0) {
      v6Left--;
      high = in.getLong();
      low = in.getLong();
    } else {
      return false;
    }
    length = in.getShort();
    offset = in.take(length);
    return true;
  }

  boolean isBefore(RunReader other) {
    if (isV4 != other.isV4) {
      return isV4;
    }
    if (high != other.high) {
      return Long.compareUnsigned(high, other.high) < 0;
    }
    if (low != other.low) {
      return Long.compareUnsigned(low, other.low) < 0;
    }
    return number > other.number;
  }

  boolean isV4() {
    return isV4;
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  byte[] bytes() {
    return in.bytes();
  }

  int offset() {
    return offset;
  }

  int length() {
    return length;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
