package io.millrace.pipelines.kafka;

import io.millrace.engine.log.Compression;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Topic for the joined flows. Invalid values are rejected here, with name, value and allowed range.
 * Immutable.
 *
 * @param topic to write to; null for none
 * @param bootstrap servers of its Kafka, {@code HOST:PORT,…}; null for that of the log
 * @param format of the messages
 * @param columns of the table of flows that are written; empty for all
 * @param batch maximum number of flows in a message, if the format allows several
 * @param compression of the messages
 * @param transactionTimeout after which Kafka aborts an abandoned transaction
 * @param transactionalId prefix of the transactional ids
 * @param properties further properties of the Kafka producer, for access to an external cluster
 */
@RecordBuilder
public record KafkaOutConfig(
    String topic,
    String bootstrap,
    OutFormat format,
    List<String> columns,
    int batch,
    Compression compression,
    Duration transactionTimeout,
    String transactionalId,
    Map<String, String> properties)
    implements KafkaOutConfigBuilder.With, Serializable {

  /** No topic. */
  public static final KafkaOutConfig NONE =
      new KafkaOutConfig(
          null,
          null,
          OutFormat.PROTOBUF,
          List.of(),
          1_000,
          Compression.LZ4,
          Duration.ofMinutes(1),
          "millrace",
          Map.of());

  public KafkaOutConfig {
    topic = topic == null || topic.isEmpty() ? null : topic;
    bootstrap = bootstrap == null || bootstrap.isEmpty() ? null : bootstrap;
    columns = List.copyOf(columns);
    properties = Map.copyOf(properties);
    require(
        topic == null || topic.matches("[A-Za-z0-9._-]{1,249}"),
        "topic",
        topic,
        "the name of a topic");
    require(
        topic == null || !topic.startsWith("millrace.") || bootstrap != null,
        "topic",
        topic,
        "an external topic; names that begin with millrace. are reserved for the log");
    require(
        bootstrap == null || bootstrap.matches("[^\\s,]+:\\d+(,[^\\s,]+:\\d+)*"),
        "bootstrap",
        bootstrap,
        "HOST:PORT,…");
    require(batch >= 1 && batch <= 100_000, "batch", batch, "1 to 100000");
    require(
        transactionTimeout.toSeconds() >= 10 && transactionTimeout.toMinutes() <= 15,
        "transaction-timeout",
        transactionTimeout.toMillis() + " ms",
        "10s to 15m");
    require(
        transactionalId != null && transactionalId.matches("[A-Za-z0-9._-]{1,100}"),
        "transactional-id",
        transactionalId,
        "a name of letters, digits, dots and hyphens");
  }

  private static void require(boolean holds, String name, Object value, String allowed) {
    if (!holds) {
      throw new IllegalArgumentException(name + ": " + value + " is not " + allowed);
    }
  }

  /** Whether there is a topic to write to. */
  public boolean enabled() {
    return topic != null;
  }

  /** These settings with another format, with at most {@code batch} flows in a message. */
  public KafkaOutConfig withFormat(OutFormat format, int batch) {
    return KafkaOutConfigBuilder.builder(this).format(format).batch(batch).build();
  }
}
