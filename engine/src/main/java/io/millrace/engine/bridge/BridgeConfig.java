package io.millrace.engine.bridge;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * External Kafka topics whose messages are flows. Invalid values are rejected here, with name,
 * value and allowed range. Immutable.
 *
 * @param topics to read; empty for no bridge
 * @param bootstrap servers of their Kafka, {@code HOST:PORT,…}; null for that of the log
 * @param format of the messages
 * @param group consumer group under which offsets are committed
 * @param start where a group without committed offsets begins
 * @param properties further properties of the Kafka consumer, for access to an external cluster
 */
@RecordBuilder
public record BridgeConfig(
    List<String> topics,
    String bootstrap,
    Format format,
    String group,
    Start start,
    Map<String, String> properties)
    implements BridgeConfigBuilder.With {

  /** Format of the messages. JSON is detected by its first byte in any format. */
  public enum Format {
    /** One flow, as {@code flowpb.FlowMessage}. */
    FLOWPB,
    /** Any number of {@code FlowMessage}s, each preceded by its length as a varint. */
    FLOWPB_DELIMITED,
    /** One or more flows, each a JSON object. */
    JSON
  }

  /** Start of a group without committed offsets. */
  public enum Start {
    /** The earliest retained message. */
    EARLIEST,
    /** New messages only. */
    LATEST
  }

  /** No bridge. */
  public static final BridgeConfig NONE =
      new BridgeConfig(List.of(), null, Format.FLOWPB, "millrace", Start.EARLIEST, Map.of());

  /** Checks each value. */
  public BridgeConfig {
    topics = List.copyOf(topics);
    properties = Map.copyOf(properties);
    bootstrap = bootstrap == null || bootstrap.isEmpty() ? null : bootstrap;
    for (String topic : topics) {
      require(topic.matches("[A-Za-z0-9._-]{1,249}"), "topics", topic, "the name of a topic");
      require(
          !topic.startsWith("millrace.") || bootstrap != null,
          "topics",
          topic,
          "an external topic; names that begin with millrace. are reserved for the log");
    }
    require(
        bootstrap == null || bootstrap.matches("[^\\s,]+:\\d+(,[^\\s,]+:\\d+)*"),
        "bootstrap",
        bootstrap,
        "HOST:PORT,…");
    require(group != null && !group.isBlank(), "group", group, "a name");
  }

  private static void require(boolean holds, String name, Object value, String allowed) {
    if (!holds) {
      throw new IllegalArgumentException(name + ": " + value + " is not " + allowed);
    }
  }

  /** Whether there is anything to read. */
  public boolean enabled() {
    return !topics.isEmpty();
  }
}
