package io.millrace.wire.message;

/**
 * Variable-length numbers with seven bits per byte, lowest first, as in protobuf and Avro. Each
 * method writes at {@code at} and returns the end; the caller ensures the space. Stateless.
 */
public final class Varint {
  /** Maximum length in bytes. */
  public static final int MAX_LENGTH = 10;

  private Varint() {}

  /** Writes 64 bits, unsigned. */
  public static int put(byte[] b, int at, long value) {
    long rest = value;
    int end = at;
    while ((rest & ~0x7FL) != 0) {
      b[end++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    b[end++] = (byte) rest;
    return end;
  }

  /** Writes 64 bits with the sign in the lowest bit (zigzag). */
  public static int putSigned(byte[] b, int at, long value) {
    return put(b, at, value << 1 ^ value >> 63);
  }

  /** Number of bytes that {@link #put} takes. */
  public static int length(long value) {
    return Math.max(1, (70 - Long.numberOfLeadingZeros(value)) / 7);
  }
}
