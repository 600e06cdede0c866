package io.millrace.pipelines;

import io.millrace.wire.record.RecordEncoding;
import java.util.Map;

/**
 * Setting of a pipeline: an external topic whose values are records of a stream. Invalid values are
 * rejected here.
 *
 * @param topic its name; null if the stream's records are received over HTTP
 * @param bootstrap servers of its Kafka, {@code HOST:PORT,…}; null for that of the log
 * @param format of its values: JSON objects, or Avro in single-object encoding
 * @param properties further properties of the Kafka consumer, for access to an external cluster
 */
public record RecordTopic(
    String topic, String bootstrap, RecordEncoding format, Map<String, String> properties) {
  /** No topic. */
  public static final RecordTopic NONE = new RecordTopic(null, null, RecordEncoding.JSON, Map.of());

  public RecordTopic {
    properties = Map.copyOf(properties);
    topic = topic == null || topic.isEmpty() ? null : topic;
    bootstrap = bootstrap == null || bootstrap.isEmpty() ? null : bootstrap;
    if (topic != null && !topic.matches("[A-Za-z0-9._-]{1,249}")) {
      throw new IllegalArgumentException("topic: " + topic + " is not a topic name");
    }
    if (topic != null && topic.startsWith("millrace.") && bootstrap == null) {
      throw new IllegalArgumentException(
          "topic: "
              + topic
              + " is not an external topic; names that begin with millrace. are"
              + " reserved for the log");
    }
    if (bootstrap != null && !bootstrap.matches("[^\\s,]+:\\d+(,[^\\s,]+:\\d+)*")) {
      throw new IllegalArgumentException(
          "bootstrap: " + bootstrap + " is invalid, expected HOST:PORT,…");
    }
  }

  /** A topic on the Kafka of the log. */
  public static RecordTopic of(String topic, RecordEncoding format) {
    return new RecordTopic(topic, null, format, Map.of());
  }

  /** Whether a topic is configured. */
  public boolean enabled() {
    return topic != null;
  }
}
