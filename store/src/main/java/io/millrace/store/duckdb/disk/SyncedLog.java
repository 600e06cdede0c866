package io.millrace.store.duckdb.disk;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * How much of the store's write-ahead log is known to be on the disk.
 *
 * <p>While DuckDB leaves it to the kernel when a commit reaches the disk, a process that is killed
 * loses nothing. After a power failure pages of the log may be missing before others that are
 * there, and commits may name blocks of the store's file that were never written. So what lies
 * after the last {@link #sync} is cut off before such a log is read. Whether the machine was
 * restarted since follows from the kernel's boot id.
 *
 * <p>The additional file is one line, small enough to be written whole or not at all: the boot id,
 * and the length of the log that is on the disk. Not thread-safe.
 *
 * <p>Files are synced by their descriptors: a channel would be closed by an interrupt, as of a job
 * that gives up its checkpoint.
 */
public final class SyncedLog implements AutoCloseable {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final int LINE_BYTES = 64;

  private static final long WHOLE = -1;

  private final Path store;
  private final Path log;
  private final String bootId;
  private final RandomAccessFile mark;

  private FileInputStream blocks;

  private long synced = WHOLE;

  /**
   * Makes the log readable, before the store is opened, and counts on the whole of it from now on.
   *
   * @param store file of the store, which need not be there yet
   * @param bootId another at each start of the machine; see {@link #bootId}
   */
  public SyncedLog(Path store, String bootId) throws IOException {
    this.store = store;
    this.bootId = bootId;
    log = store.resolveSibling(store.getFileName() + ".wal");
    mark =
        new RandomAccessFile(store.resolveSibling(store.getFileName() + ".synced").toFile(), "rwd");
    try {
      cut();
      force();
      write(WHOLE);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** The kernel's; empty where it has none. */
  public static Optional<String> bootId() {
    try {
      return Optional.of(Files.readString(BOOT_ID).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private void cut() throws IOException {
    byte[] line = new byte[LINE_BYTES];
    int read = Math.max(0, mark.read(line));
    String text = new String(line, 0, read, StandardCharsets.US_ASCII);
    int space = text.indexOf(' ');
    if (space < 0 || text.substring(0, space).equals(bootId)) {
      return;
    }
    long length;
    try {
      length = Long.parseLong(text.substring(space).strip());
    } catch (NumberFormatException e) {
      throw new IOException(
          store.getFileName()
              + ".synced is damaged; delete it if "
              + log.getFileName()
              + " is intact",
          e);
    }
    if (length == WHOLE || length >= bytes()) {
      return;
    }
    if (length == 0) {
      Files.delete(log);
      return;
    }
    try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
      channel.truncate(length);
    }
  }

  /** Length of the log; 0 where there is none. */
  public long bytes() {
    return log.toFile().length();
  }

  /**
   * Whether DuckDB folds it just now: commits are in another one meanwhile, which takes its place.
   */
  public boolean isBeingFolded() {
    return Files.exists(log.resolveSibling(log.getFileName() + ".checkpoint"));
  }

  /** Whether something was committed since the last {@link #sync}. */
  public boolean hasUnsynced() {
    return synced != bytes();
  }

  /** Returns when all that was committed before is on the disk. */
  public void sync() throws IOException {
    long length = bytes();
    if (length != synced) {
      force();
      write(length);
    }
  }

  /** Says that all of the log counts, after a {@link #sync} and before DuckDB changes it. */
  public void countWhole() throws IOException {
    write(WHOLE);
  }

  private void force() throws IOException {
    if (Files.exists(log)) {
      try (FileInputStream file = new FileInputStream(log.toFile())) {
        file.getFD().sync();
      }
    }
    if (blocks == null && Files.exists(store)) {
      blocks = new FileInputStream(store.toFile());
    }
    if (blocks != null) {
      blocks.getFD().sync();
    }
  }

  private void write(long length) throws IOException {
    String line = "%s %d".formatted(bootId, length);
    byte[] bytes =
        ("%-" + (LINE_BYTES - 1) + "s\n").formatted(line).getBytes(StandardCharsets.US_ASCII);
    mark.seek(0);
    mark.write(bytes); // on the disk when it returns
    synced = length;
  }

  @Override
  public void close() throws IOException {
    try (RandomAccessFile one = mark;
        FileInputStream other = blocks) {
      synced = WHOLE;
    }
  }
}
