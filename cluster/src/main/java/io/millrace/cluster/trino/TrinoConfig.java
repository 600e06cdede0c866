package io.millrace.cluster.trino;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of a Trino that reads the tables of one instance.
 *
 * @param distribution its files
 * @param java program of its JVMs
 * @param directory of configuration and data
 * @param catalog base URI of the instance's catalog
 * @param token of the instance; empty if it needs none
 * @param heapBytes heap of each process, at least 1 GiB
 * @param workers processes, 0 to 16, besides the coordinator, which works alone without any
 * @param maxTime time limit of a query
 */
public record TrinoConfig(
    TrinoDistribution distribution,
    Path java,
    Path directory,
    URI catalog,
    Optional<String> token,
    long heapBytes,
    int workers,
    Duration maxTime) {
  /** Default heap of a process, bytes. */
  public static final long DEFAULT_HEAP = 2L << 30;

  private static final long MIN_HEAP = 1L << 30;
  private static final int MAX_WORKERS = 16;

  /**
   * Checks each value.
   *
   * @throws IllegalArgumentException if the heap or the number of workers is out of range
   */
  public TrinoConfig {
    directory = directory.toAbsolutePath().normalize();
    if (heapBytes < MIN_HEAP) {
      throw new IllegalArgumentException(
          "--trino-memory: " + heapBytes + " is out of range, expected at least 1 GiB");
    }
    if (workers < 0 || workers > MAX_WORKERS) {
      throw new IllegalArgumentException(
          "--trino-workers: " + workers + " is out of range, expected 0 to " + MAX_WORKERS);
    }
  }
}
