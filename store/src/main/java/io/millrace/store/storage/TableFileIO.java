package io.millrace.store.storage;

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
 * Iceberg's access to the files of tables, without Hadoop. A written file is durable, and published
 * by the storage, when its stream is closed. Thread-safe.
 */
public final class TableFileIO implements FileIO {
  private static final long serialVersionUID = 1L;

  private final transient TableStorage storage;

  /** Access to the files of a storage. */
  public TableFileIO(TableStorage storage) {
    this.storage = storage;
  }

  @Override
  public InputFile newInputFile(String location) {
    return new Input(storage, location, storage.path(location));
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return new Output(storage, location, storage.path(location));
  }

  @Override
  public void deleteFile(String location) {
    try {
      storage.delete(storage.path(location));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + location, e);
    }
  }

  /** Forces the entries of a directory to the disk. */
  public static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory)) {
      channel.force(true);
    }
  }

  /** Forces a written file and its directory entry to the disk. */
  public static void sync(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    syncDirectory(file.getParent());
  }

  private record Input(TableStorage storage, String location, Path path) implements InputFile {
    @Override
    public long getLength() {
      try {
        fetch();
        return Files.size(path);
      } catch (NoSuchFileException e) {
        throw new NotFoundException(e, "file not found: %s", location);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + location, e);
      }
    }

    private void fetch() throws IOException {
      if (!storage.fetch(path)) {
        throw new NoSuchFileException(location);
      }
    }

    @Override
    public SeekableInputStream newStream() {
      try {
        fetch();
        return new FileInput(FileChannel.open(path));
      } catch (NoSuchFileException e) {
        throw new NotFoundException(e, "file not found: %s", location);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + location, e);
      }
    }

    @Override
    public boolean exists() {
      try {
        return storage.size(path).isPresent();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + location, e);
      }
    }
  }

  private static final class FileInput extends SeekableInputStream {
    private final FileChannel channel;

    FileInput(FileChannel channel) {
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

  private record Output(TableStorage storage, String location, Path path) implements OutputFile {
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
        return new FileOutput(storage, path, FileChannel.open(path, options));
      } catch (FileAlreadyExistsException e) {
        throw new AlreadyExistsException(e, "file already exists: %s", location);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write " + location, e);
      }
    }

    @Override
    public InputFile toInputFile() {
      return new Input(storage, location, path);
    }
  }

  private static final class FileOutput extends PositionOutputStream {
    private static final int BUFFER = 64 << 10;

    private final TableStorage storage;
    private final Path path;
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    private long written;

    FileOutput(TableStorage storage, Path path, FileChannel channel) {
      this.storage = storage;
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
        storage.publish(path);
      }
    }
  }
}
