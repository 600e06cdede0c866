package io.millrace.engine.log;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Objects;

/**
 * The log's settings. Wrong values are refused here, by name, value and what is allowed. Immutable.
 *
 * @param kafka bootstrap servers of a Kafka cluster, {@code HOST:PORT,…}; null for the embedded one
 * @param port loopback port of the embedded broker; 0 takes a free one
 * @param partitions of each topic that is made: as many readers can share the work
 * @param retentionSizeBytes bytes of each topic, over all partitions, before the oldest segments
 *     are deleted
 * @param retention how long a value is kept at least as long as there is room
 * @param compression of values on the wire to the log and in it
 * @param bufferBytes of values that wait for the log to answer; what comes on top is refused
 * @param deliveryTimeout after which a value that the log has not acknowledged counts as lost
 */
@RecordBuilder
public record LogConfig(
    String kafka,
    int port,
    int partitions,
    long retentionSizeBytes,
    Duration retention,
    Compression compression,
    long bufferBytes,
    Duration deliveryTimeout)
    implements LogConfigBuilder.With {

  /** The largest value that topics of ours take, in bytes. */
  public static final int MAX_VALUE_BYTES = 16 << 20;

  private static final LogConfig DEFAULTS =
      new LogConfig(
          null,
          0,
          4,
          10L << 30,
          Duration.ofHours(24),
          Compression.LZ4,
          64L << 20,
          Duration.ofSeconds(30));

  /** Checks each value. */
  public LogConfig {
    Objects.requireNonNull(compression, "log.compression");
    require(
        kafka == null || kafka.matches("[^\\s,]+:\\d+(,[^\\s,]+:\\d+)*"),
        "kafka",
        kafka,
        "HOST:PORT,…");
    require(port >= 0 && port <= 65_535, "port", port, "0 to 65535");
    require(partitions >= 1 && partitions <= 1024, "partitions", partitions, "1 to 1024");
    require(
        retentionSizeBytes >= 64L << 20, "retention-size", retentionSizeBytes, "at least 64 MiB");
    require(retention.toSeconds() >= 60, "retention", retention, "at least one minute");
    require(bufferBytes >= 1 << 20, "buffer", bufferBytes, "at least 1 MiB");
    require(
        deliveryTimeout.toMillis() >= 1_000 && deliveryTimeout.toMinutes() <= 60,
        "delivery-timeout",
        deliveryTimeout,
        "1 second to 1 hour");
  }

  private static void require(boolean holds, String name, Object value, String allowed) {
    if (!holds) {
      throw new IllegalArgumentException("log." + name + ": " + value + " is not " + allowed);
    }
  }

  /** An embedded log with four partitions that keeps a day or 10 GiB. */
  public static LogConfig defaults() {
    return DEFAULTS;
  }

  /** Whether the broker runs in this JVM. */
  public boolean embedded() {
    return kafka == null;
  }

  /** The same with another retention. */
  public LogConfig withRetention(long retentionSizeBytes, Duration retention) {
    return LogConfigBuilder.builder(this)
        .retentionSizeBytes(retentionSizeBytes)
        .retention(retention)
        .build();
  }

  /** The same with other bounds for what waits for the log. */
  public LogConfig withBuffer(long bufferBytes, Duration deliveryTimeout) {
    return LogConfigBuilder.builder(this)
        .bufferBytes(bufferBytes)
        .deliveryTimeout(deliveryTimeout)
        .build();
  }
}
