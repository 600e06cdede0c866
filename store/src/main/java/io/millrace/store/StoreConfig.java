package io.millrace.store;

import io.millrace.pulse.DirectMemory;
import io.millrace.pulse.HostMemory;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Settings of the embedded store.
 *
 * @param memoryBytes memory of the database outside the Java heap, at least 64 MiB; it spills to
 *     disk beyond that. Commits have 256 MiB more
 * @param threads threads of one query, and of commits, at least 1; several take a third more
 *     processor time, without gain if all cores are busy
 * @param queryTimeLimit maximum time of a query
 * @param queryRowLimit maximum rows of a query
 * @param checkpointBytes size of the write-ahead log at which it is merged into the file: less
 *     makes pauses shorter, more makes them rarer
 * @param rollupQueries whether SQL over flows may use rollups
 * @param retention retention of rows
 * @param listen address for writers in other processes; null for none
 * @param clusterTail whether rows of writers in other processes that write files themselves are
 *     visible before their checkpoint; this sends all rows to the store
 * @param spillBytes disk space of queries that sort or group more than fits in memory; at least 16
 *     MiB, and never more than half of the space free at the start
 * @param exportTimeLimit maximum time of an export, and of the upload of an import
 * @param boundaries see {@link Boundaries}: patterns by boundary
 * @param engine engine that runs user queries over tables of flows
 * @param trino required by that engine
 * @param objects object store for the files of tables; without location, they are in the directory
 *     only
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
    boolean clusterTail,
    long spillBytes,
    Duration exportTimeLimit,
    Map<String, List<String>> boundaries,
    StoreEngine engine,
    TrinoConfig trino,
    ObjectsConfig objects)
    implements StoreConfigBuilder.With {
  private static final long MIB = 1L << 20;

  /** Validates the ranges. */
  public StoreConfig {
    atLeast("store.memory", memoryBytes, 64 * MIB);
    atLeast("store.threads", threads, 1);
    atLeast("store.query-row-limit", queryRowLimit, 1);
    atLeast("store.checkpoint", checkpointBytes, MIB);
    atLeast("store.spill", spillBytes, 16 * MIB);
    positive("store.query-time-limit", queryTimeLimit);
    positive("store.export-time-limit", exportTimeLimit);
    boundaries = new Boundaries(boundaries).patterns();
    if (engine == StoreEngine.TRINO && trino.url() == null) {
      throw new IllegalArgumentException(
          "store.trino.url: missing, required by store.engine: trino; expected http://HOST:PORT");
    }
  }

  /**
   * Memory of the rows of a table that are not in files yet, outside the Java heap: a sixteenth of
   * the machine's memory, 64 to 512 MiB, and at most a quarter of the JVM's direct memory.
   */
  public static long tailBytes() {
    long wanted = Math.max(64 * MIB, Math.min(512 * MIB, HostMemory.bytes() / 16));
    return Math.min(wanted, DirectMemory.maxBytes() / 4);
  }

  /**
   * Memory of rows that are in files, and that queries, rolls and exports still read from memory:
   * three eighths of the JVM's direct memory. The rest is for the stream engine.
   */
  public static long heldBytes() {
    return DirectMemory.maxBytes() / 8 * 3;
  }

  /**
   * Memory for encoding rows of a table to files, outside the Java heap: an eighth of the machine's
   * memory, 112 MiB to 1 GiB. Used only while files are written.
   */
  public static long encodingBytes() {
    return Math.max(112 * MIB, Math.min(1024 * MIB, HostMemory.bytes() / 8));
  }

  private static void positive(String key, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(key + ": " + value + " must be positive");
    }
  }

  private static void atLeast(String key, long value, long min) {
    if (value < min) {
      throw new IllegalArgumentException(key + ": " + value + " is less than " + min);
    }
  }

  /**
   * Defaults. Memory: a quarter of the {@linkplain HostMemory memory} beyond 512 MiB, which are the
   * JVM's, from 64 MiB to 4 GiB. Threads: half of the processors, since the others write rows.
   * Queries: 30 s, a million rows and 8 GiB of disk. Exports: ten minutes.
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
        true,
        8192 * MIB,
        Duration.ofMinutes(10),
        Map.of(),
        StoreEngine.DUCKDB,
        TrinoConfig.defaults(),
        ObjectsConfig.defaults());
  }
}
