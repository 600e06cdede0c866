package io.millrace.datasets.keyvalue;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/** Sequential little-endian writer of a file, with a checksum for each section. */
final class SectionFile implements Closeable {
  private final FileChannel channel;
  private final byte[] buffer = new byte[1 << 20];
  private final ByteBuffer view = ByteBuffer.wrap(buffer);
  private final CRC32C crc = new CRC32C();
  private int used;
  private long flushed;

  SectionFile(Path file) throws IOException {
    channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
  }

  long position() {
    return flushed + used;
  }

  /** Pads with zeros to a multiple of {@code alignment}, and starts a new checksum. */
  void align(int alignment) throws IOException {
    while (position() % alignment != 0) {
      reserve(1);
      buffer[used++] = 0;
    }
    flush();
    crc.reset();
  }

  int crc() throws IOException {
    flush();
    return (int) crc.getValue();
  }

  void putInt(int value) throws IOException {
    reserve(Integer.BYTES);
    LittleEndian.INT.set(buffer, used, value);
    used += Integer.BYTES;
  }

  void putLong(long value) throws IOException {
    reserve(Long.BYTES);
    LittleEndian.LONG.set(buffer, used, value);
    used += Long.BYTES;
  }

  /** The length must not exceed the buffer. */
  void put(byte[] bytes, int offset, int length) throws IOException {
    reserve(length);
    System.arraycopy(bytes, offset, buffer, used, length);
    used += length;
  }

  private void reserve(int needed) throws IOException {
    if (used + needed > buffer.length) {
      flush();
    }
  }

  private void flush() throws IOException {
    crc.update(buffer, 0, used);
    view.clear().limit(used);
    while (view.hasRemaining()) {
      channel.write(view);
    }
    flushed += used;
    used = 0;
  }

  /** Syncs the file, then writes the header, and syncs again. */
  void finish(ByteBuffer header) throws IOException {
    flush();
    channel.force(true);
    while (header.hasRemaining()) {
      channel.write(header, header.position());
    }
    channel.force(true);
  }

  @Override
  public void close() throws IOException {
    try (channel) {
      if (channel.isOpen()) {
        flush();
      }
    }
  }
}
