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
 * A topic that gets the results of a step as JSON objects, each result exactly once, also after a
 * failure: a result has an identity of its own, made of some of its columns, under which it is
 * written once however often it is made. The object has it as {@value #ID}, in front of the
 * columns; times are microseconds since the epoch. The message's key is the first column of the
 * identity, so that results of one key stay in their order.
 *
 * <p>An identity needs a time. Results are made again behind a failure only if their time is later
 * than the event time of the checkpoint: so the time of a window's result is its end, or its last
 * moment, and that of a result that a record brings about is the record's. The step gives no result
 * of a time that event time has passed, but those of the watermark that passes it.
 *
 * @param sink where the topic is, and how it is written; {@link TopicSink#ensure} makes it
 * @param name of what goes out, the pipeline's in front: part of each identity, for ever
 * @param schema of the results
 * @param identity columns that tell results apart, the key first: (subscriber, window end, rule)
 * @param time column of the time
 * @param release when a result leaves
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

  /** Counter: results that were made again, and not written again. */
  public static final String REPEATED = "repeatedResults";

  private static final Duration TRANSACTION_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration COMMIT_INTERVAL = Duration.ofMillis(10);
  private static final int COMMIT_ROWS = 10_000;

  /** When a result leaves. */
  public enum Release {
    /**
     * When a checkpoint covers it: what has left is part of every later state of the job and is
     * never contradicted. For messages to persons. It takes a checkpoint's interval longer.
     */
    WHEN_COVERED,
    /**
     * At once. Behind a failure the job may see records in another order, and give other results in
     * place of those that have left; equal ones are not written again.
     */
    AT_ONCE
  }

  /** Checks the columns. */
  public ResultTopic {
    identity = List.copyOf(identity);
    if (identity.isEmpty()) {
      throw new IllegalArgumentException("results of " + name + ": an identity of no columns");
    }
    for (String column : identity) {
      if (schema.indexOf(column) < 0) {
        throw new IllegalArgumentException(
            "results of " + name + ": identity column '" + column + "' is not in the table");
      }
    }
    if (schema.indexOf(time) < 0 || schema.type(schema.indexOf(time)) != TableSchema.Type.TIME) {
      throw new IllegalArgumentException(
          "results of " + name + ": '" + time + "' is not a column of times");
    }
    if (schema.indexOf(ID) >= 0) {
      throw new IllegalArgumentException(
          "results of " + name + ": the column '" + ID + "' needs another name");
    }
  }

  /**
   * A name as somebody has written it.
   *
   * @return null for none
   * @throws IllegalArgumentException if it is none of a topic, or is one of the log's own
   */
  public static String checkName(String topic) {
    if (topic == null || topic.isEmpty()) {
      return null;
    }
    if (!topic.matches("[A-Za-z0-9._-]{1,200}") || topic.startsWith("millrace.")) {
      throw new IllegalArgumentException(
          "topic: " + topic + " is not the name of a topic, or one of the log's own");
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
   * A topic of the log that several steps write to, also of different jobs; each under a name of
   * its own. {@link #ensureShared} makes it.
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
   * Makes a topic that several steps write to, for one of them, where it is missing.
   *
   * @param name under which the step writes
   * @throws io.millrace.engine.log.LogException if Kafka refuses or does not answer
   */
  public static void ensureShared(LogTopics topics, String topic, String name) {
    TopicSink.ensure(topics, topic, sharedPositions(topic, name));
  }

  private static String sharedPositions(String topic, String name) {
    return TopicSink.positionsTopic(topic + "." + name);
  }

  /**
   * Puts the topic at the end of a job.
   *
   * @param results dealt out so that those of one key come from one subtask
   * @param uid name of the step; never to be changed
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
        .apart() // a commit waits for Kafka
        .addTo(released, uid, parallelism);
  }
}
