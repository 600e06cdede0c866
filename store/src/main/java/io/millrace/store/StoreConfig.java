package io.millrace.store;

import io.millrace.pulse.HostMemory;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Settings of the embedded store.
 *
 * @param memoryBytes memory that the database may take beside the Java heap; it spills to disk
 *     beyond that. Commits have 256 MiB more. At least 64 MiB
 * @param threads threads that one query may use; at least 1. Commits use them too, and several cost
 *     a third more processor time than one, without being faster where all cores are busy
 * @param queryTimeLimit after this a query is interrupted, unless it asks for less
 * @param queryRowLimit rows that a query gives at most, unless it asks for less
 * @param checkpointBytes size of the write-ahead log at which it is folded into the file: less
 *     makes shorter pauses, more makes fewer
 * @param rollupQueries whether SQL over flows is answered from rollups where they have the answer
 * @param retention how long rows stay
 * @param listen where writers in other processes reach the store; null for nowhere
 * @param spillBytes disk that queries may take beside the store when they sort or group more than
 *     fits in memory; at least 16 MiB, and never more than half of what is free at the start
 * @param exportTimeLimit after this an export is interrupted, and an import whose file has not come
 * @param boundaries what interfaces lie at, see {@link Boundaries}: patterns by boundary
 */
@RecordBuilder
public record StoreConfig(
    long memoryBytes,
    int threads,
    Duration queryTimeLimit,
    long queryRowLimit,
    long checkpointBytes,
    boolean rollupQueries,
    RetentionConfig retention,
    InetSocketAddress listen,
    long spillBytes,
    Duration exportTimeLimit,
    Map<String, List<String>> boundaries)
    implements StoreConfigBuilder.With {
  private static final long MIB = 1L << 20;

  /** Checks the ranges. */
  public StoreConfig {
    atLeast("store.memory", memoryBytes, 64 * MIB);
    atLeast("store.threads", threads, 1);
    atLeast("store.query-row-limit", queryRowLimit, 1);
    atLeast("store.checkpoint", checkpointBytes, MIB);
    atLeast("store.spill", spillBytes, 16 * MIB);
    positive("store.query-time-limit", queryTimeLimit);
    positive("store.export-time-limit", exportTimeLimit);
    boundaries = new Boundaries(boundaries).patterns();
  }

  private static void positive(String key, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(key + ": " + value + " must be positive");
    }
  }

  private static void atLeast(String key, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(key + ": " + value + " is less than " + least);
    }
  }

  /**
   * A quarter of the {@linkplain HostMemory memory} beyond 512 MiB, which are the JVM's, from 64
   * MiB to 4 GiB; half of the processors, since the others have rows to write; queries of 30 s and
   * a million rows, with 8 GiB of disk; exports of ten minutes.
   */
  public static StoreConfig defaults() {
    return new StoreConfig(
        Math.max(64 * MIB, Math.min(4096 * MIB, (HostMemory.bytes() - 512 * MIB) / 4)),
        Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
        Duration.ofSeconds(30),
        1_000_000,
        64 * MIB,
        true,
        RetentionConfig.DEFAULT,
        null,
        8192 * MIB,
        Duration.ofMinutes(10),
        Map.of());
  }
}
