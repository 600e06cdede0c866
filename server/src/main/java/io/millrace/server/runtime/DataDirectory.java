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

/** Layout of the data directory, which one process locks at a time. */
public final class DataDirectory implements AutoCloseable {
  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final String TEMPORARY = "java.io.tmpdir";

  /** Space for the unpacked libraries of DuckDB and Flink and for the first files of each. */
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
   * @throws IOException if a later release has written it; says which, and what to do
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
   * @throws IOException if not; states the free space
   */
  public static void checkSpace(Path root) throws IOException {
    Path place = root.toAbsolutePath().normalize();
    while (!Files.exists(place)) {
      place = place.getParent();
    }
    long free = Files.getFileStore(place).getUsableSpace();
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
   * @throws IOException if a later release has written it, another process holds the lock or the
   *     directory is not writable; names it
   */
  public static DataDirectory take(Path root) throws IOException {
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
        checkVersion(absolute); // another process may have had the lock before
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

  /** DuckDB reads options after a question mark, Flink reads a backslash as a slash. */
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
   * Directs the process's temporary files into a data directory, unless the command line names a
   * directory for them or the path contains a comma or a colon. A killed process leaves 25 MB of
   * unpacked libraries; here the next start deletes them. Call before the first temporary file is
   * created.
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

  /** The directory itself. */
  public Path root() {
    return root;
  }

  /** The embedded log's directory. */
  public Path log() {
    return root.resolve("log");
  }

  /** The directory of the checkpoints. */
  public Path checkpoints() {
    return root.resolve("checkpoints");
  }

  /** The store's directory. */
  public Path store() {
    return root.resolve("store");
  }

  /** The file of the collector's counts. */
  public Path ledger() {
    return root.resolve("ledger");
  }

  /** The file in which the ingest server records the frames of a stream's clients in the log. */
  public Path frames(String stream) {
    return root.resolve("frames-" + stream);
  }

  /**
   * A random id of this directory, the same in each process that uses it or a copy of it.
   *
   * @throws IOException if the file is unreadable or damaged; says what to do
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
