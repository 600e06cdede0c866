package io.millrace.engine.table;

import io.millrace.engine.log.LogException;
import io.millrace.pulse.Pulse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes a table whenever its file has changed; looked at every second, since files on some file
 * systems tell nobody. A file that is no table is told of, and the last version stays. Thread-safe.
 */
public final class TableFileWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TableFileWatch.class);
  private static final long LOOK_MILLIS = 1_000;

  private final TableFile table;
  private final Thread thread;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile String problem;

  /** What tells that a file was written or replaced. */
  private record State(Object key, Object modified, long size) {
    static State of(TableFile table) throws IOException {
      BasicFileAttributes file = Files.readAttributes(table.file(), BasicFileAttributes.class);
      return new State(file.fileKey(), file.lastModifiedTime(), file.size());
    }
  }

  /** A watch that is not started. */
  public TableFileWatch(TableFile table) {
    this.table = table;
    thread = Pulse.thread("millrace-file-of-" + table.topic().topic(), Duration.ZERO, this::watch);
  }

  /** Looks from now on; what the file holds at that moment is published if it is new. */
  public void start() {
    thread.start();
  }

  private void watch(Pulse pulse) {
    State published = null;
    while (!isClosed()) {
      try {
        State now = State.of(table); // before it is read: what is written meanwhile is seen next
        if (!now.equals(published)) {
          publish();
          published = now;
        }
      } catch (IOException | LogException e) {
        tell(e.getMessage());
      }
      pulse.beat();
    }
  }

  private void publish() {
    try {
      Instant from = table.publish();
      LOG.info("{} holds from {} on", table.file(), from);
      problem = null;
    } catch (IOException e) { // until the file is another one
      tell(e.getMessage());
    }
  }

  private void tell(String message) {
    if (!message.equals(problem)) {
      LOG.warn("{}; the table that was there before holds on", message);
    }
    problem = message;
  }

  private boolean isClosed() {
    try {
      return closed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Why the file could not be published when it was last looked at; empty if it could. */
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  @Override
  public void close() {
    closed.countDown();
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
