package io.millrace.store.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * Iceberg's access to files on a local file system, without Hadoop. A location is {@code file://}
 * followed by an absolute path, without percent-encoding. A written file is durable after its
 * stream is closed. Thread-safe.
 */
final class LocalFileIO implements FileIO {
  private static final long serialVersionUID = 1L;
  private static final String SCHEME = "file://";

  static String location(Path path) {
    return SCHEME + path.toAbsolutePath().normalize();
  }

  /**
   * The path of a location.
   *
   * @throws IllegalArgumentException if it is not on a local file system
   */
  static Path path(String location) {
    if (!location.startsWith(SCHEME + "/")) {
      throw new IllegalArgumentException("not a local file: " + location);
    }
    return Path.of(location.substring(SCHEME.length()));
  }

  @Override
  public InputFile newInputFile(String location) {
    return new LocalInput(location, path(location));
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return new LocalOutput(location, path(location));
  }

  @Override
  public void deleteFile(String location) {
    try {
      Files.deleteIfExists(path(location));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + location, e);
    }
  }

  /** Forces the entries of a directory to the disk. */
  static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory)) {
      channel.force(true);
    }
  }

  /** Forces a written file and its directory entry to the disk. */
  static void sync(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    syncDirectory(file.getParent());
  }

  private record LocalInput(String location, Path path) implements InputFile {
    @Override
    public long getLength() {
      try {
        return Files.size(path);
      } catch (NoSuchFileException e) {
        throw new NotFoundException(e, "file not found: %s", location);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + location, e);
      }
    }

    @Override
    public SeekableInputStream newStream() {
      try {
        return new LocalInputStream(FileChannel.open(path));
      } catch (NoSuchFileException e) {
        throw new NotFoundException(e, "file not found: %s", location);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + location, e);
      }
    }

    @Override
    public boolean exists() {
      return Files.exists(path);
    }
  }

  private static final class LocalInputStream extends SeekableInputStream {
    private final FileChannel channel;

    LocalInputStream(FileChannel channel) {
      this.channel = channel;
    }

    @Override
    public long getPos() throws IOException {
      return channel.position();
    }

    @Override
    public void seek(long position) throws IOException {
      channel.position(position);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return channel.read(ByteBuffer.wrap(bytes, offset, length));
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private record LocalOutput(String location, Path path) implements OutputFile {
    @Override
    public PositionOutputStream create() {
      return open(Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      return open(
          Set.of(
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE));
    }

    private PositionOutputStream open(Set<? extends OpenOption> options) {
      try {
        Files.createDirectories(path.getParent());
        return new LocalOutputStream(path, FileChannel.open(path, options));
      } catch (FileAlreadyExistsException e) {
        throw new AlreadyExistsException(e, "file already exists: %s", location);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write " + location, e);
      }
    }

    @Override
    public InputFile toInputFile() {
      return new LocalInput(location, path);
    }
  }

  private static final class LocalOutputStream extends PositionOutputStream {
    private static final int BUFFER = 64 << 10;

    private final Path path;
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    private long written;

    LocalOutputStream(Path path, FileChannel channel) {
      this.path = path;
      this.channel = channel;
    }

    @Override
    public long getPos() {
      return written;
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      for (int at = 0; at < length; ) {
        if (!buffer.hasRemaining()) {
          drain();
        }
        int n = Math.min(buffer.remaining(), length - at);
        buffer.put(bytes, offset + at, n);
        at += n;
      }
      written += length;
    }

    private void drain() throws IOException {
      buffer.flip();
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      buffer.clear();
    }

    @Override
    public void flush() throws IOException {
      drain();
    }

    @Override
    public void close() throws IOException {
      if (channel.isOpen()) {
        try (channel) {
          drain();
          channel.force(true);
        }
        syncDirectory(path.getParent());
      }
    }
  }
}
