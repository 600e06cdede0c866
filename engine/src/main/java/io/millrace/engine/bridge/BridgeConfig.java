package io.millrace.engine.bridge;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * Topics whose messages are flows. Wrong values are refused here, by name, value and what is
 * allowed. Immutable.
 *
 * @param topics to read; none for no bridge
 * @param bootstrap servers of their Kafka, {@code HOST:PORT,…}; null for that of the log
 * @param format of the messages
 * @param group under which it is kept how far they were read
 * @param start where a group that was never seen begins
 * @param properties of Kafka's consumer besides, for access to a cluster of others
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

  /** What a message is. One in JSON is known by how it begins, whatever the format. */
  public enum Format {
    /** One flow, as {@code flowpb.FlowMessage}. */
    FLOWPB,
    /** Any number of them, each behind its length as a varint. */
    FLOWPB_DELIMITED,
    /** One flow or more, each an object in JSON. */
    JSON
  }

  /** Where a group begins that Kafka does not know. */
  public enum Start {
    /** With all that the topics still hold. */
    EARLIEST,
    /** With what comes from now on. */
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
          "a topic of others: those of the log begin with millrace.");
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
