package io.millrace.wire.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Format of an array of numbers, in the narrowest width for their range (frame of reference).
 *
 * <pre>
 *   0       1              9
 *   +-------+--------------+----------------------------------+
 *   | width | base         | count × width bytes              |   value = base + unsigned bytes
 *   +-------+--------------+----------------------------------+
 * </pre>
 *
 * The width is 0, 1, 2, 4 or 8 bytes; at 0 all values are the base. The base is the least value, so
 * that a null (−1) among small numbers costs no width. An array that needs the full width has the
 * base 0 and is copied.
 *
 * <p>Little-endian as the usual processors: a full-width array is one memory copy, and a narrow one
 * needs no byte swap. Each value is read twice (range, then bytes) and written once.
 */
final class Plane {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Plane() {}

  static boolean isAll(int[] values, int count, int value) {
    int i = 0;
    while (i < count && values[i] == value) {
      i++;
    }
    return i == count;
  }

  static boolean isAll(long[] values, int count, long value) {
    int i = 0;
    while (i < count && values[i] == value) {
      i++;
    }
    return i == count;
  }

  /**
   * @param leastWidth 0, or 1 if the number of bytes must bound the count
   */
  static void write(BlockBuffer out, int[] values, int count, int leastWidth) {
    int min = Integer.MAX_VALUE;
    int greatest = Integer.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      min = Math.min(min, values[i]);
      greatest = Math.max(greatest, values[i]);
    }
    int width = Math.max(leastWidth, count == 0 ? 0 : width((long) greatest - min));
    int base = width == Integer.BYTES || count == 0 ? 0 : min;
    out.putByte(width);
    out.putLong(base);
    int at = out.take(count * width);
    byte[] bytes = out.bytes();
    switch (width) {
      case 1 -> {
        for (int i = 0; i < count; i++) {
          bytes[at + i] = (byte) (values[i] - base);
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          SHORT.set(bytes, at + 2 * i, (short) (values[i] - base));
        }
      }
      case 4 -> buffer(bytes, at, count * width).asIntBuffer().put(values, 0, count);
      default -> {}
    }
  }

  static void write(BlockBuffer out, long[] values, int count) {
    write(out, values, 0, count, 0);
  }

  static void write(BlockBuffer out, long[] values, int count, int leastWidth) {
    write(out, values, 0, count, leastWidth);
  }

  static void write(BlockBuffer out, long[] values, int from, int count, int leastWidth) {
    long min = Long.MAX_VALUE;
    long greatest = Long.MIN_VALUE;
    for (int i = from; i < from + count; i++) {
      min = Math.min(min, values[i]);
      greatest = Math.max(greatest, values[i]);
    }
    int width = Math.max(leastWidth, count == 0 ? 0 : width(greatest - min));
    long base = width == Long.BYTES || count == 0 ? 0 : min;
    out.putByte(width);
    out.putLong(base);
    int length = Math.multiplyExact(count, width);
    int at = out.take(length);
    byte[] bytes = out.bytes();
    if (width == Long.BYTES) {
      buffer(bytes, at, length).asLongBuffer().put(values, from, count);
      return;
    }
    int whole = count & -Long.BYTES; // a multiple of eight values, at any width
    switch (width) {
      case 1 -> packBytes(values, from, whole, base, bytes, at);
      case 2 -> packShorts(values, from, whole, base, bytes, at);
      case 4 -> packInts(values, from, whole, base, bytes, at);
      default -> {}
    }
    for (int i = whole; i < count; i++) {
      long value = values[from + i] - base;
      for (int b = 0; b < width; b++) {
        bytes[at + i * width + b] = (byte) (value >>> (Byte.SIZE * b));
      }
    }
  }

  private static void packBytes(
      long[] values, int from, int count, long base, byte[] bytes, int at) {
    for (int i = 0, v = from; i < count; i += 8, v += 8) {
      LONG.set(
          bytes,
          at + i,
          (values[v] - base)
              | (values[v + 1] - base) << 8
              | (values[v + 2] - base) << 16
              | (values[v + 3] - base) << 24
              | (values[v + 4] - base) << 32
              | (values[v + 5] - base) << 40
              | (values[v + 6] - base) << 48
              | (values[v + 7] - base) << 56);
    }
  }

  private static void packShorts(
      long[] values, int from, int count, long base, byte[] bytes, int at) {
    for (int i = 0, v = from; i < count; i += 4, v += 4) {
      LONG.set(
          bytes,
          at + 2 * i,
          (values[v] - base)
              | (values[v + 1] - base) << 16
              | (values[v + 2] - base) << 32
              | (values[v + 3] - base) << 48);
    }
  }

  private static void packInts(
      long[] values, int from, int count, long base, byte[] bytes, int at) {
    for (int i = 0, v = from; i < count; i += 2, v += 2) {
      LONG.set(bytes, at + 4 * i, (values[v] - base) | (values[v + 1] - base) << 32);
    }
  }

  static void read(BlockInput in, int[] values, int count) {
    int width = in.takeByte();
    int base = (int) in.takeLong();
    if (width > Integer.BYTES) {
      throw in.broken("a plane of " + width + " bytes per value, expected at most 4");
    }
    int at = takeValues(in, count, width);
    byte[] bytes = in.bytes();
    switch (width) {
      case 0 -> Arrays.fill(values, 0, count, base);
      case 1 -> {
        for (int i = 0; i < count; i++) {
          values[i] = base + (bytes[at + i] & 0xFF);
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          values[i] = base + ((short) SHORT.get(bytes, at + 2 * i) & 0xFFFF);
        }
      }
      default -> {
        buffer(bytes, at, count * width).asIntBuffer().get(values, 0, count);
        for (int i = 0; base != 0 && i < count; i++) {
          values[i] += base;
        }
      }
    }
  }

  static void read(BlockInput in, long[] values, int count) {
    int width = in.takeByte();
    long base = in.takeLong();
    int at = takeValues(in, count, width);
    byte[] bytes = in.bytes();
    switch (width) {
      case 0 -> Arrays.fill(values, 0, count, base);
      case 1 -> {
        for (int i = 0; i < count; i++) {
          values[i] = base + (bytes[at + i] & 0xFF);
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          values[i] = base + ((short) SHORT.get(bytes, at + 2 * i) & 0xFFFF);
        }
      }
      case 4 -> {
        for (int i = 0; i < count; i++) {
          values[i] = base + ((int) INT.get(bytes, at + 4 * i) & 0xFFFF_FFFFL);
        }
      }
      default -> {
        buffer(bytes, at, count * width).asLongBuffer().get(values, 0, count);
        for (int i = 0; base != 0 && i < count; i++) {
          values[i] += base;
        }
      }
    }
  }

  private static int takeValues(BlockInput in, int count, int width) {
    if (width > Long.BYTES || Integer.bitCount(width) > 1) {
      throw in.broken("a plane of " + width + " bytes per value");
    }
    if ((long) count * width > in.remaining()) {
      throw in.broken(count + " values of " + width + " bytes do not fit");
    }
    return in.take(count * width);
  }

  private static int width(long range) {
    if (range == 0) {
      return 0;
    }
    int bits = Long.SIZE - Long.numberOfLeadingZeros(range);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
  }

  private static ByteBuffer buffer(byte[] bytes, int at, int length) {
    return ByteBuffer.wrap(bytes, at, length).slice().order(ByteOrder.LITTLE_ENDIAN);
  }
}
