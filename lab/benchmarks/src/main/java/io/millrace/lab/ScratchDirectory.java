package io.millrace.lab;

import io.millrace.pulse.DirectoryTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A directory that is deleted with its content when a command ends, also by a signal.
 *
 * <p>At a signal the owner's thread is interrupted and given some seconds to close what it opened:
 * a broker whose files disappear would fill the terminal with errors. The directory is renamed
 * before it is deleted, so that remaining writers cannot create files in it; it is deleted again if
 * it reappears.
 */
final class ScratchDirectory implements AutoCloseable {
  private static final int ATTEMPTS = 10;

  private static final long PATIENCE_SECONDS = 5;

  private final Path path;
  private final Thread owner = Thread.currentThread();
  private final CountDownLatch left = new CountDownLatch(1);
  private final Thread atSignal = new Thread(this::leave, "millrace-scratch");

  private ScratchDirectory(Path path) {
    this.path = path;
    Runtime.getRuntime().addShutdownHook(atSignal);
  }

  static ScratchDirectory temporary(String prefix) throws IOException {
    return new ScratchDirectory(Files.createTempDirectory(prefix));
  }

  static ScratchDirectory within(Path parent, String prefix) throws IOException {
    return new ScratchDirectory(Files.createTempDirectory(Files.createDirectories(parent), prefix));
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    left.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(atSignal);
    } catch (IllegalStateException e) {
      return; // the hook deletes it
    }
    DirectoryTree.delete(path);
  }

  /** Whether a signal has arrived; the owner's interrupt is then no failure. */
  boolean isEnding() {
    return atSignal.isAlive();
  }

  private void leave() {
    owner.interrupt();
    try {
      var unused = left.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    deleteWhileOthersWrite();
  }

  private void deleteWhileOthersWrite() {
    for (int attempt = 0; attempt < ATTEMPTS && Files.exists(path); attempt++) {
      try {
        Path renamed = path.resolveSibling(path.getFileName() + ".ended" + attempt);
        DirectoryTree.delete(Files.move(path, renamed, StandardCopyOption.ATOMIC_MOVE));
      } catch (IOException e) {
        System.err.println("millrace: cannot delete: " + e.getMessage());
      }
    }
  }
}
