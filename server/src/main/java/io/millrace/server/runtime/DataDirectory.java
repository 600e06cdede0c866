package io.millrace.server.runtime;

import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.DataVersion;
import io.millrace.pulse.DirectoryTree;
import io.millrace.pulse.PrivateFiles;
import io.millrace.pulse.StateFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** Layout of the data directory, which only one process may use at a time. */
public final class DataDirectory implements AutoCloseable {
  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final String TEMPORARY = "java.io.tmpdir";

  /** Minimum free space: for the unpacked libraries and the first files of DuckDB and Flink. */
  private static final long MIN_FREE_BYTES = 128 << 20;

  private final Path root;
  private final FileChannel lockFile;
  private final FileLock lock;

  private DataDirectory(Path root, FileChannel lockFile, FileLock lock) {
    this.root = root;
    this.lockFile = lockFile;
    this.lock = lock;
  }

  /**
   * Checks that this release can open a data directory, which need not exist; changes nothing.
   *
   * @throws IOException if a later release has written it; the message names it and a remedy
   */
  public static void checkVersion(Path root) throws IOException {
    Path absolute = root.toAbsolutePath().normalize();
    try {
      DataVersion.check(absolute, "restore a backup into another --data");
    } catch (FileSystemException e) {
      throw inaccessible(absolute, e);
    }
  }

  private static IOException inaccessible(Path root, FileSystemException e) {
    return new IOException("cannot write to the data directory " + root + ": " + e.getMessage(), e);
  }

  /**
   * Checks that the disk of a data directory, which need not exist, has enough space for a start.
   *
   * @throws IOException if it has not; the message has the free space
   */
  public static void checkSpace(Path root) throws IOException {
    Path place = root.toAbsolutePath().normalize();
    while (!Files.exists(place)) {
      place = place.getParent();
    }
    long free = place.toFile().getUsableSpace();
    if (free < MIN_FREE_BYTES) {
      throw new IOException(
          "disk of %s is full: %,d MiB free, a start needs %,d MiB; delete files, or choose another --data"
              .formatted(root.toAbsolutePath().normalize(), free >> 20, MIN_FREE_BYTES >> 20));
    }
  }

  /**
   * Creates the directory if it is missing, locks it, and marks it as opened by this release.
   * Deletes temporary files of an earlier process.
   *
   * @throws IOException if a later release has written it, another process holds the lock, or the
   *     directory is not writable
   */
  public static DataDirectory open(Path root) throws IOException {
    Path absolute = root.toAbsolutePath().normalize();
    checkVersion(absolute);
    checkSpace(absolute);
    try {
      PrivateFiles.createDirectories(absolute);
      FileChannel file =
          FileChannel.open(
              absolute.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = null;
      try {
        lock = file.tryLock();
      } catch (OverlappingFileLockException e) {
        // locked by this process; reported below like a lock of another process
      }
      if (lock == null) {
        file.close();
        throw new IOException(
            "another Millrace runs on " + absolute + "; stop it, or choose another --data");
      }
      DataDirectory taken = new DataDirectory(absolute, file, lock);
      try {
        checkVersion(absolute); // another process may have held the lock and written the directory
        DataVersion.mark(absolute);
        DirectoryTree.delete(temporary(absolute));
        Files.createDirectory(temporary(absolute));
        return taken;
      } catch (IOException e) {
        taken.close();
        throw e;
      }
    } catch (FileSystemException e) {
      throw inaccessible(absolute, e);
    }
  }

  /**
   * Rejects paths with a question mark, after which DuckDB reads options, or a backslash, which
   * Flink reads as a slash.
   */
  static void check(Path root) {
    String path = root.toAbsolutePath().normalize().toString();
    path.chars()
        .filter(c -> c == '?' || c == '\\' || Character.isISOControl(c))
        .findFirst()
        .ifPresent(
            c -> {
              String name = c < ' ' || c > '~' ? "U+%04X".formatted(c) : String.valueOf((char) c);
              throw new IllegalArgumentException(
                  "data: the path of the data directory must not contain the character "
                      + name
                      + "; choose another --data");
            });
  }

  /**
   * Puts the process's temporary files into a data directory, so that the next start deletes those
   * of a killed process (25 MB of unpacked libraries). Has no effect if the command line sets a
   * directory for them, or the path contains a comma or a colon. Call before the first temporary
   * file is created.
   */
  public static void keepTemporaryFiles(Path root) {
    String directory = temporary(root.toAbsolutePath().normalize()).toString();
    // Flink reads it as a list of directories separated by commas and colons.
    boolean isOne = directory.indexOf(',') < 0 && directory.indexOf(':') < 0;
    if (isOne && ChildProcess.ownOptions("-D" + TEMPORARY + "=").isEmpty()) {
      System.setProperty(TEMPORARY, directory);
    }
  }

  private static Path temporary(Path root) {
    return root.resolve("jvm-tmp");
  }

  Optional<String> warning() throws IOException {
    return PrivateFiles.isOpen(root)
        ? Optional.of(
            "other users of this machine can enter "
                + root
                + " ("
                + PosixFilePermissions.toString(Files.getPosixFilePermissions(root))
                + "): chmod 700 it, unless this is intended")
        : Optional.empty();
  }

  /** Path of the directory. */
  public Path root() {
    return root;
  }

  /** Directory of the embedded log. */
  public Path log() {
    return root.resolve("log");
  }

  /** Directory of the checkpoints. */
  public Path checkpoints() {
    return root.resolve("checkpoints");
  }

  /** Directory of the store. */
  public Path store() {
    return root.resolve("store");
  }

  /** File of the collector's counters. */
  public Path ledger() {
    return root.resolve("ledger");
  }

  /** File in which the ingest server saves the frame numbers of a stream's clients. */
  public Path frames(String stream) {
    return root.resolve("frames-" + stream);
  }

  /**
   * Random id of this directory, which is the same in all processes that use the directory or a
   * copy of it.
   *
   * @throws IOException if the file is unreadable or damaged; the message says what to do
   */
  public String id() throws IOException {
    Path file = root.resolve("id");
    if (!Files.exists(file)) {
      String made = UUID.randomUUID().toString();
      StateFile.replace(file, made.getBytes(StandardCharsets.US_ASCII));
    }
    String id = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    if (!UUID_TEXT.matcher(id).matches()) {
      throw new IOException(
          file
              + " is damaged: not a UUID; restore it (Kafka's consumer group is named millrace-UUID), or"
              + " delete it to start with a new consumer group");
    }
    return id;
  }

  @Override
  public void close() throws IOException {
    lock.release();
    lockFile.close();
  }
}
