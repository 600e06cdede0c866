package io.millrace.lab;

import io.millrace.pulse.DirectoryTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A directory for as long as a command runs, deleted with all that is in it at the end, also when a
 * signal ends the process in the middle of it.
 *
 * <p>At a signal the thread that made it is interrupted, so that it closes what it has opened, and
 * given some seconds for that: a broker whose files go under it fills the terminal with its grief.
 * Whoever does not stop may still write, so the directory is renamed before it is deleted: under
 * its own name nothing can be made in it then. Should someone make it anew, it goes again.
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

  /** A new one where the system keeps temporary files. */
  static ScratchDirectory temporary(String prefix) throws IOException {
    return new ScratchDirectory(Files.createTempDirectory(prefix));
  }

  /** A new one in a directory, which is made if it is missing, and stays. */
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
      return; // the hook is at work
    }
    DirectoryTree.delete(path);
  }

  /** Whether a signal has come: then the owner's interrupt is no failure. */
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
        System.err.println("millrace: not deleted: " + e.getMessage());
      }
    }
  }
}
