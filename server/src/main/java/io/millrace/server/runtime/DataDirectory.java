package io.millrace.server.runtime;

import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.DirectoryTree;
import io.millrace.pulse.PrivateFiles;
import io.millrace.pulse.StateFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** What is where under the data directory, which one process holds at a time. */
public final class DataDirectory implements AutoCloseable {
  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final String TEMPORARY = "java.io.tmpdir";

  /** The libraries of DuckDB and Flink, which are unpacked there, and the first files of each. */
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
   * Looks whether the disk of a data directory, which need not be there, has room for a start.
   *
   * @throws IOException if not; says how much there is
   */
  public static void checkSpace(Path root) throws IOException {
    Path place = root.toAbsolutePath().normalize();
    while (!Files.exists(place)) {
      place = place.getParent();
    }
    long free = Files.getFileStore(place).getUsableSpace();
    if (free < MIN_FREE_BYTES) {
      throw new IOException(
          "no space left on the disk of %s: %,d MiB are free, a start needs %,d MiB; delete other files, or choose another --data"
              .formatted(root.toAbsolutePath().normalize(), free >> 20, MIN_FREE_BYTES >> 20));
    }
  }

  /**
   * Makes the directory where it is missing, and takes it. Temporary files of a process that had it
   * before are deleted.
   *
   * @throws IOException if another process has it or it cannot be written; says which
   */
  public static DataDirectory take(Path root) throws IOException {
    Path absolute = root.toAbsolutePath().normalize();
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
        // held within this process; told below as for another one
      }
      if (lock == null) {
        file.close();
        throw new IOException(
            "another Millrace runs on " + absolute + "; stop it, or choose another --data");
      }
      DataDirectory taken = new DataDirectory(absolute, file, lock);
      try {
        DirectoryTree.delete(temporary(absolute));
        Files.createDirectory(temporary(absolute));
        return taken;
      } catch (IOException e) {
        taken.close();
        throw e;
      }
    } catch (java.nio.file.FileSystemException e) {
      throw new IOException(
          "cannot write to the data directory " + absolute + ": " + e.getMessage(), e);
    }
  }

  /**
   * Refuses a path that the log, the store or the stream engine cannot use: DuckDB reads what
   * follows a question mark as options, and Flink a backslash as a slash.
   *
   * @throws IllegalArgumentException if it is one; says which character
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
                  "data: the path of the data directory cannot have the character "
                      + name
                      + "; choose another --data");
            });
  }

  /**
   * Has this process keep its temporary files in a data directory that it is going to take, unless
   * its command line names a directory for them, or the data directory's path has a comma or a
   * colon. A killed process leaves 25 MB of unpacked libraries behind, and in a directory of the
   * system's nobody knows whose they were. To be called before such a file is made.
   */
  public static void keepTemporaryFiles(Path root) {
    String directory = temporary(root.toAbsolutePath().normalize()).toString();
    // Flink takes it for a list of directories, divided at commas and colons.
    boolean isOne = directory.indexOf(',') < 0 && directory.indexOf(':') < 0;
    if (isOne && ChildProcess.ownOptions("-D" + TEMPORARY + "=").isEmpty()) {
      System.setProperty(TEMPORARY, directory);
    }
  }

  private static Path temporary(Path root) {
    return root.resolve("jvm-tmp");
  }

  /** What is wrong with its permissions, if others than its owner may enter it. */
  Optional<String> warning() throws IOException {
    return PrivateFiles.isOpen(root)
        ? Optional.of(
            "other users of this machine may enter "
                + root
                + " ("
                + PosixFilePermissions.toString(Files.getPosixFilePermissions(root))
                + "): chmod 700 it, unless that is meant")
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

  /** Where checkpoints are kept. */
  public Path checkpoints() {
    return root.resolve("checkpoints");
  }

  /** The store's directory. */
  public Path store() {
    return root.resolve("store");
  }

  /** Where the collector keeps its counts. */
  public Path ledger() {
    return root.resolve("ledger");
  }

  /** Where the ingest server keeps which frames of clients are in the log. */
  public Path frames() {
    return root.resolve("frames");
  }

  /** The same for a declared stream. */
  public Path frames(String stream) {
    return root.resolve("frames-" + stream);
  }

  /**
   * A name that no other directory has, but for copies of this one: the same in each process that
   * takes it.
   *
   * @throws IOException if it cannot be read, or is damaged: says what to do
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
              + " is damaged: it does not hold a UUID; write into it what follows millrace- in the"
              + " name of the consumer group at kafka.in, or delete it to join as a new member");
    }
    return id;
  }

  @Override
  public void close() throws IOException {
    lock.release();
    lockFile.close();
  }
}
