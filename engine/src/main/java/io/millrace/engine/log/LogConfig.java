package io.millrace.engine.log;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Objects;

/**
 * Settings of the log. Invalid values are rejected here, with name, value and allowed range.
 * Immutable.
 *
 * @param kafka bootstrap servers of a Kafka cluster, {@code HOST:PORT,…}; null for the embedded one
 * @param port loopback port of the embedded broker; 0 for a free one
 * @param partitions of each new topic: the maximum number of parallel readers
 * @param retentionSizeBytes bytes of each topic, over all partitions, before the oldest segments
 *     are deleted
 * @param retention time before a value is deleted, unless {@code retentionSizeBytes} deletes it
 *     earlier
 * @param compression of values, on the wire and in the log
 * @param bufferBytes maximum size of all unacknowledged values; further values are rejected
 * @param deliveryTimeout after which a value without acknowledgement counts as failed
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

  /** Maximum value size of Millrace's topics, in bytes. */
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

  /** An embedded log with four partitions that retains a day or 10 GiB. */
  public static LogConfig defaults() {
    return DEFAULTS;
  }

  /** Whether the broker runs in this JVM. */
  public boolean embedded() {
    return kafka == null;
  }

  /** This configuration with another retention. */
  public LogConfig withRetention(long retentionSizeBytes, Duration retention) {
    return LogConfigBuilder.builder(this)
        .retentionSizeBytes(retentionSizeBytes)
        .retention(retention)
        .build();
  }

  /** This configuration with another buffer and delivery timeout. */
  public LogConfig withBuffer(long bufferBytes, Duration deliveryTimeout) {
    return LogConfigBuilder.builder(this)
        .bufferBytes(bufferBytes)
        .deliveryTimeout(deliveryTimeout)
        .build();
  }
}
