package io.millrace.wire.pcap;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.ZipException;

/** Sequential input with a window of one packet, in the byte order of the capture. */
final class CaptureInput {
  /** Maximum length of a packet in bytes; the largest snapshot length of libpcap. */
  static final int MAX_PACKET_LENGTH = 262_144;

  private static final VarHandle BIG_SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle BIG_INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle BIG_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final InputStream in;
  private final byte[] scratch = new byte[4096];
  private byte[] window = new byte[4096];
  private long position;
  private boolean littleEndian;

  CaptureInput(InputStream in) {
    this.in = in;
  }

  byte[] window() {
    return window;
  }

  void littleEndian(boolean littleEndian) {
    this.littleEndian = littleEndian;
  }

  /** Reads bytes into the window; false if the capture ends before the first of them. */
  boolean fill(int length, String what) throws IOException {
    return fill(0, length, what);
  }

  /** Reads bytes after the first {@code from} bytes of the window, which are kept. */
  boolean fill(int from, int length, String what) throws IOException {
    if (from + length > window.length) {
      window = Arrays.copyOf(window, Math.max(from + length, window.length * 2));
    }
    int got = 0;
    while (got < length) {
      int n = read(window, from + got, length - got);
      if (n < 0) {
        if (got == 0) {
          return false;
        }
        throw ended(what);
      }
      got += n;
      position += n;
    }
    return true;
  }

  void require(int length, String what) throws IOException {
    if (length > 0 && !fill(length, what)) {
      throw ended(what);
    }
  }

  void skip(long length, String what) throws IOException {
    // Reads instead of InputStream.skip, which may skip past the end of a file without an error.
    long left = length;
    while (left > 0) {
      int n = read(scratch, 0, (int) Math.min(left, scratch.length));
      if (n < 0) {
        throw ended(what);
      }
      left -= n;
      position += n;
    }
  }

  private int read(byte[] into, int offset, int length) throws IOException {
    try {
      return in.read(into, offset, length);
    } catch (ZipException | EOFException e) {
      throw new CaptureException("damaged gzip data: " + e.getMessage(), position);
    }
  }

  int uint8(int at) {
    return window[at] & 0xFF;
  }

  int uint16(int at) {
    short value = (short) BIG_SHORT.get(window, at);
    return (littleEndian ? Short.reverseBytes(value) : value) & 0xFFFF;
  }

  int int32(int at) {
    int value = (int) BIG_INT.get(window, at);
    return littleEndian ? Integer.reverseBytes(value) : value;
  }

  long uint32(int at) {
    return int32(at) & 0xFFFF_FFFFL;
  }

  long int64(int at) {
    long value = (long) BIG_LONG.get(window, at);
    return littleEndian ? Long.reverseBytes(value) : value;
  }

  CaptureException ended(String what) {
    return new CaptureException("the capture is truncated inside " + what, position);
  }

  CaptureException broken(String what) {
    return new CaptureException(what, position);
  }
}
