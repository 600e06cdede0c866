package io.millrace.cluster.trino;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of a Trino that reads the tables of one instance.
 *
 * @param distribution program files
 * @param java path of the program {@code java}
 * @param directory directory of configuration and data
 * @param catalog base URI of the instance's catalog
 * @param token token of the instance; empty if none is required
 * @param heapBytes heap of each process, at least 1 GiB
 * @param workers number of workers, 0 to 16; with 0 the coordinator runs queries
 * @param maxTime time limit of a query
 * @param endpoint URL of the S3 server with the tables' files; empty for Amazon's, or if they are
 *     local
 * @param region of the bucket
 */
public record TrinoConfig(
    TrinoDistribution distribution,
    Path java,
    Path directory,
    URI catalog,
    Optional<String> token,
    long heapBytes,
    int workers,
    Duration maxTime,
    Optional<URI> endpoint,
    String region) {
  /** Default heap of a process, bytes. */
  public static final long DEFAULT_HEAP = 2L << 30;

  private static final long MIN_HEAP = 1L << 30;
  private static final int MAX_WORKERS = 16;

  /**
   * Checks the ranges.
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
