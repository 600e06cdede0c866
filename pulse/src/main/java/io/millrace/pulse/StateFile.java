package io.millrace.pulse;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A small persistent file with a checksum, replaced atomically. A damaged file can be renamed. Not
 * thread-safe.
 */
public final class StateFile {
  private static final int CHECKSUM_BYTES = Integer.BYTES;

  /** Checksum or length are wrong, or the path is not a regular file. */
  public static final class DamagedException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedException(Path path, String how) {
      super(path + " is damaged: " + how);
    }
  }

  private final Path path;

  /**
   * Creates an accessor of a file.
   *
   * @param path path of the file, which may be missing
   */
  public StateFile(Path path) {
    this.path = path.toAbsolutePath();
  }

  /**
   * Reads the content last written; empty if there is no file.
   *
   * @throws DamagedException if the content is damaged, or the path is not a regular file
   * @throws IOException if it cannot be read
   */
  public Optional<byte[]> read() throws IOException {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw new DamagedException(path, "not a regular file");
    }
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    int length = bytes.length - CHECKSUM_BYTES;
    if (length < 0) {
      throw new DamagedException(path, "length " + bytes.length + "");
    }
    if (ByteBuffer.wrap(bytes).getInt(length) != checksum(bytes, length)) {
      throw new DamagedException(path, "checksum mismatch");
    }
    return Optional.of(Arrays.copyOf(bytes, length));
  }

  /** Replaces the content, durably. The directory must exist. */
  public void write(byte[] state) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(state.length + CHECKSUM_BYTES);
    bytes.put(state).putInt(checksum(state, state.length));
    replace(path, bytes.array());
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, length);
    return (int) checksum.getValue();
  }

  /** Replaces a file atomically, even across a power failure. The directory must exist. */
  public static void replace(Path path, byte[] content) throws IOException {
    Path absolute = path.toAbsolutePath();
    Path fresh = absolute.resolveSibling(absolute.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    try (FileChannel file = PrivateFiles.create(fresh)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
      file.force(true);
    }
    Files.move(
        fresh, absolute, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel directory = FileChannel.open(absolute.getParent(), StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  /** Renames a damaged file to {@code NAME.damaged}, replacing an earlier one. */
  public void setAside() throws IOException {
    Files.move(path, damaged(), StandardCopyOption.REPLACE_EXISTING);
    Files.setLastModifiedTime(damaged(), FileTime.from(Instant.now()));
  }

  /** When a damaged file was renamed; empty if there is none. */
  public Optional<Instant> damagedAt() {
    try {
      return Optional.of(Files.getLastModifiedTime(damaged()).toInstant());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Path of the damaged file. */
  public Path damaged() {
    return path.resolveSibling(path.getFileName() + ".damaged");
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
