package io.millrace.engine.job;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Trailer of a checkpoint file, big-endian:
 *
 * <pre>
 *   0              n        n + 4
 *   +--------------+--------+-------------------+
 *   | n bytes      | "MRCK" | CRC-32C of these  |
 *   +--------------+--------+-------------------+
 * </pre>
 *
 * An instance computes the checksum of one file. Not thread-safe.
 */
final class FileChecksum {
  static final int LENGTH = 8;

  private static final byte[] MAGIC = "MRCK".getBytes(StandardCharsets.US_ASCII);
  private static final int READ_BYTES = 1 << 20;

  private final CRC32C sum = new CRC32C();

  void add(int b) {
    sum.update(b);
  }

  void add(byte[] bytes, int from, int length) {
    sum.update(bytes, from, length);
  }

  byte[] trailer() {
    return ByteBuffer.allocate(LENGTH).put(MAGIC).putInt((int) sum.getValue()).array();
  }

  static boolean isIn(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long content = channel.size() - LENGTH;
      return content >= 0 && Arrays.equals(Arrays.copyOf(read(channel, content), 4), MAGIC);
    }
  }

  static void check(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long content = channel.size() - LENGTH;
      FileChecksum found = new FileChecksum();
      ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES);
      for (long at = 0; at < content; ) {
        buffer.clear().limit((int) Math.min(READ_BYTES, content - at));
        int length = channel.read(buffer, at);
        if (length < 0) {
          throw new EOFException(file + " is truncated");
        }
        found.add(buffer.array(), 0, length);
        at += length;
      }
      if (content < 0 || !Arrays.equals(read(channel, content), found.trailer())) {
        throw new IOException(file + " is damaged: its checksum does not match");
      }
    }
  }

  private static byte[] read(FileChannel channel, long from) throws IOException {
    ByteBuffer trailer = ByteBuffer.allocate(LENGTH);
    while (trailer.hasRemaining()) {
      if (channel.read(trailer, from + trailer.position()) < 0) {
        throw new EOFException("unexpected end of file");
      }
    }
    return trailer.array();
  }
}
