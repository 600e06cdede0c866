package io.millrace.engine.sink;

import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.engine.log.Compression;
import io.millrace.engine.log.LogTopics;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * A topic of results as JSON objects, exactly once, also after a failure: each result has an
 * identity, a hash of some of its columns, and is written once however often it is produced. The
 * identity is the object's first field, {@value #ID}; times are microseconds since the epoch. The
 * message's key is the first identity column, so that results of one key stay in order.
 *
 * <p>An identity includes a time. A replay must reproduce only results whose time is later than the
 * event time of the checkpoint. So the time of a window's result is the window's end or last
 * moment, and the time of a result caused by a record is the record's. The step must not emit a
 * result after the watermark has passed its time, except in response to that watermark.
 *
 * @param sink the topic and how it is written; {@link TopicSink#ensure} creates the topic
 * @param name of the producer, with the pipeline's as prefix: part of each identity, must never
 *     change
 * @param schema of the results
 * @param identity columns that distinguish results, the key first: (subscriber, window end, rule)
 * @param time name of the time column
 * @param release when a result is sent
 */
public record ResultTopic(
    TopicSink sink,
    String name,
    TableSchema schema,
    List<String> identity,
    String time,
    Release release)
    implements Serializable {
  /** The identity in a message: 32 hexadecimal digits. */
  public static final String ID = "id";

  /** Counter: reproduced results that were not written again. */
  public static final String REPEATED = "repeatedResults";

  private static final Duration TRANSACTION_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration COMMIT_INTERVAL = Duration.ofMillis(10);
  private static final int COMMIT_ROWS = 10_000;

  /** When a result is sent. */
  public enum Release {
    /**
     * When a checkpoint covers it: a replay never contradicts a sent result. For messages to
     * people. Adds a checkpoint interval of latency.
     */
    WHEN_COVERED,
    /**
     * At once. After a failure the job may see records in another order, and emit results that
     * differ from those sent; equal ones are not written again.
     */
    AT_ONCE
  }

  public ResultTopic {
    identity = List.copyOf(identity);
    if (identity.isEmpty()) {
      throw new IllegalArgumentException("results of " + name + ": the identity has no columns");
    }
    for (String column : identity) {
      if (schema.indexOf(column) < 0) {
        throw new IllegalArgumentException(
            "results of " + name + ": identity column '" + column + "' is not in the table");
      }
    }
    if (schema.indexOf(time) < 0 || schema.type(schema.indexOf(time)) != TableSchema.Type.TIME) {
      throw new IllegalArgumentException(
          "results of " + name + ": '" + time + "' is not a time column");
    }
    if (schema.indexOf(ID) >= 0) {
      throw new IllegalArgumentException(
          "results of " + name + ": column name '" + ID + "' is reserved; rename the column");
    }
  }

  /**
   * Validates the configured name of a topic.
   *
   * @return null for none
   * @throws IllegalArgumentException if it is not a topic name, or is reserved for the log
   */
  public static String checkName(String topic) {
    if (topic == null || topic.isEmpty()) {
      return null;
    }
    if (!topic.matches("[A-Za-z0-9._-]{1,200}") || topic.startsWith("millrace.")) {
      throw new IllegalArgumentException(
          "topic: " + topic + " is not a topic name, or is reserved for the log");
    }
    return topic;
  }

  /**
   * A topic of the log.
   *
   * @param bootstrapServers of the log
   */
  public static ResultTopic inLog(
      String bootstrapServers,
      String topic,
      String name,
      TableSchema schema,
      List<String> identity,
      String time,
      Release release) {
    TopicSink sink =
        new TopicSink(
            bootstrapServers, topic, Compression.LZ4, TRANSACTION_TIMEOUT, name, Map.of());
    return new ResultTopic(sink, name, schema, identity, time, release);
  }

  /**
   * A topic of the log that several steps write to, possibly of different jobs, each with its own
   * name. {@link #ensureShared} creates it.
   *
   * @param bootstrapServers of the log
   */
  public static ResultTopic sharedInLog(
      String bootstrapServers,
      String topic,
      String name,
      TableSchema schema,
      List<String> identity,
      String time,
      Release release) {
    TopicSink sink =
        new TopicSink(
            bootstrapServers,
            topic,
            Compression.LZ4,
            TRANSACTION_TIMEOUT,
            name,
            Map.of(),
            sharedPositions(topic, name));
    return new ResultTopic(sink, name, schema, identity, time, release);
  }

  /**
   * Creates a topic that several steps write to, for one of them, if it is missing.
   *
   * @param name of the producing step
   * @throws io.millrace.engine.log.LogException if Kafka rejects the request or does not respond
   */
  public static void ensureShared(LogTopics topics, String topic, String name) {
    TopicSink.ensure(topics, topic, sharedPositions(topic, name));
  }

  private static String sharedPositions(String topic, String name) {
    return TopicSink.positionsTopic(topic + "." + name);
  }

  /**
   * Adds the sink to a job.
   *
   * @param results distributed so that all results of a key come from one subtask
   * @param uid name of the step; must never change
   */
  public void addTo(DataStream<TableBlock> results, String uid) {
    int parallelism = results.getParallelism();
    DataStream<TableBlock> released =
        switch (release) {
          case AT_ONCE -> results;
          case WHEN_COVERED ->
              results
                  .transform(uid + "-covered", BlockTypeInfo.TABLES, new CoveredBlocks<>())
                  .uid(uid + "-covered")
                  .setParallelism(parallelism);
        };
    ResultTopic topic = this;
    RewindableSink.of(subtask -> new ResultBlockSink(topic, subtask), new EventTimeCoverage<>())
        .flushingEvery(COMMIT_INTERVAL, COMMIT_ROWS)
        .onSeparateThreads() // a commit waits for Kafka
        .addTo(released, uid, parallelism);
  }
}
