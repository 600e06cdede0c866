package io.millrace.lab.topn;

import io.millrace.lab.harness.WrongResultException;
import io.millrace.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Merges of a store's files of flows, observed by changes of the table's metadata. */
public final class Merges {
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private Merges() {}

  /**
   * Waits until the metadata has not changed for a while.
   *
   * @param store directory of the store
   * @return seconds until the last change
   * @throws WrongResultException if it still changes after the timeout
   */
  public static double await(Path store, Duration timeout) throws IOException {
    Path metadata = store.resolve("tables").resolve(Store.FLOWS).resolve("metadata");
    long start = System.nanoTime();
    long changed = start;
    long last = -1;
    while (System.nanoTime() - changed < SETTLED_NANOS) {
      LockSupport.parkNanos(LOOK_NANOS);
      long newest = newest(metadata);
      if (newest != last) {
        last = newest;
        changed = System.nanoTime();
      }
      if (System.nanoTime() - start > timeout.toNanos()) {
        throw new WrongResultException("files are still merged after " + timeout);
      }
    }
    return (changed - start) / 1e9;
  }

  private static long newest(Path metadata) throws IOException {
    try (Stream<Path> files = Files.list(metadata)) {
      return files.mapToLong(file -> file.toFile().lastModified()).max().orElse(0);
    }
  }
}
