package io.millrace.datasets.keyvalue;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/** Writes a file from front to back, little-endian, with a checksum of what was written lately. */
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

  /** Fills up with zeros to a multiple of {@code alignment}, and starts a new checksum. */
  void align(int alignment) throws IOException {
    while (position() % alignment != 0) {
      room(1);
      buffer[used++] = 0;
    }
    flush();
    crc.reset();
  }

  /** The CRC-32C of what was written since {@link #align}. */
  int crc() throws IOException {
    flush();
    return (int) crc.getValue();
  }

  void putInt(int value) throws IOException {
    room(Integer.BYTES);
    LittleEndian.INT.set(buffer, used, value);
    used += Integer.BYTES;
  }

  void putLong(long value) throws IOException {
    room(Long.BYTES);
    LittleEndian.LONG.set(buffer, used, value);
    used += Long.BYTES;
  }

  /** Writes bytes, at most as many as the buffer holds at once. */
  void put(byte[] bytes, int offset, int length) throws IOException {
    room(length);
    System.arraycopy(bytes, offset, buffer, used, length);
    used += length;
  }

  private void room(int needed) throws IOException {
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

  /** Waits until all is on the disk, then writes over the beginning, and waits again. */
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
