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
 * Records how much of the store's write-ahead log is synced to the disk.
 *
 * <p>While commits are not synced, a killed process loses nothing. After a power failure, pages of
 * the log may be missing before others that exist, and commits may refer to blocks of the store's
 * file that were never written. So such a log is truncated to its length at the last {@link #sync}
 * before it is read. The kernel's boot id shows whether the machine was restarted.
 *
 * <p>The additional file is one line, small enough to be written atomically: the boot id and the
 * synced length of the log. Not thread-safe.
 *
 * <p>Files are synced by their descriptors, since an interrupt, as of a job that aborts its
 * checkpoint, would close a channel.
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
   * Truncates the log if necessary, before the store is opened; from now on the whole log is valid.
   *
   * @param store file of the store, which may not exist yet
   * @param bootId differs at each start of the machine; see {@link #bootId}
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

  /** The kernel's boot id; empty if it has none. */
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

  /** Length of the log; 0 if there is none. */
  public long bytes() {
    return log.toFile().length();
  }

  /**
   * Whether DuckDB is checkpointing the log. Commits go to another log meanwhile, which replaces
   * it.
   */
  public boolean isCheckpointing() {
    return Files.exists(log.resolveSibling(log.getFileName() + ".checkpoint"));
  }

  /** Whether something was committed since the last {@link #sync}. */
  public boolean hasUnsynced() {
    return synced != bytes();
  }

  /** Syncs everything that was committed before. */
  public void sync() throws IOException {
    long length = bytes();
    if (length != synced) {
      force();
      write(length);
    }
  }

  /** Declares the whole log valid, after a {@link #sync} and before DuckDB changes it. */
  public void declareWhole() throws IOException {
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
    mark.write(bytes); // synced on return
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
