package io.millrace.cli.demo;

import io.millrace.pulse.DirectoryTree;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Temporary data directory of a demo. Deleted when the demo or the process ends or, after a kill,
 * when the next demo starts.
 */
final class DemoDirectory implements AutoCloseable {
  private static final String PREFIX = "millrace-demo-";

  private final Path path;

  private DemoDirectory(Path path) {
    this.path = path;
  }

  static DemoDirectory in(Path parent) throws IOException {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(parent, PREFIX + "*")) {
      for (Path each : left) {
        if (isAbandoned(each)) {
          DirectoryTree.delete(each);
        }
      }
    }
    return new DemoDirectory(Files.createTempDirectory(parent, PREFIX));
  }

  /**
   * Whether the process of a directory has ended. A directory without a lock file is being created.
   */
  private static boolean isAbandoned(Path directory) {
    Path lock = directory.resolve("lock");
    if (!Files.isWritable(lock)) {
      return false;
    }
    try (FileChannel file = FileChannel.open(lock, StandardOpenOption.WRITE);
        FileLock taken = file.tryLock()) {
      return taken != null;
    } catch (IOException | OverlappingFileLockException e) {
      return false;
    }
  }

  Path path() {
    return path;
  }

  /** Deletes the directory, even if files are still being written. */
  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (int attempt = 0; attempt < 10; attempt++) {
      try {
        DirectoryTree.delete(path);
        return;
      } catch (IOException e) {
        failure = e;
      }
    }
    throw failure;
  }
}
