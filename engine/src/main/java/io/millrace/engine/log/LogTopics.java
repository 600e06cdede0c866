package io.millrace.engine.log;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.IntFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Creates and deletes topics. Topics of the embedded log get the configured retention at every
 * start; existing topics on an external cluster are not changed. Thread-safe.
 */
public final class LogTopics {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final long AGAIN_MILLIS = 50;

  /**
   * A topic that exists and is ready for writing and reading.
   *
   * @param name of the topic
   * @param partitions number of partitions
   * @param created whether it was created just now
   * @param difference from the configuration, as a line for the user
   */
  public record Topic(String name, int partitions, boolean created, Optional<String> difference) {}

  private static final Map<String, String> VERSIONS =
      Map.of(
          TopicConfig.CLEANUP_POLICY_CONFIG,
          TopicConfig.CLEANUP_POLICY_COMPACT,
          TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG,
          Long.toString(Duration.ofDays(7).toMillis()),
          TopicConfig.SEGMENT_MS_CONFIG,
          Long.toString(Duration.ofDays(1).toMillis()),
          TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
          "LogAppendTime",
          TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
          Integer.toString(LogConfig.MAX_VALUE_BYTES));

  private final String bootstrapServers;
  private final LogConfig config;

  public LogTopics(LogCluster cluster, LogConfig config) {
    this.bootstrapServers = cluster.bootstrapServers();
    this.config = config;
  }

  /**
   * Returns the topic with that name, ready for writing. If it is missing, creates it with the
   * configured number of partitions and a replica on each of up to three brokers; with three, two
   * must acknowledge a value, so one may fail.
   *
   * @throws LogException if the cluster rejects the request or does not respond
   */
  public Topic ensure(String name) {
    return ensure(name, config.partitions(), config.retentionSizeBytes());
  }

  /** As above with an explicit size: for small topics, such as the one for dead letters. */
  public Topic ensure(String name, int partitions, long retentionBytes) {
    return ensure(name, partitions, known -> settings(known, retentionBytes));
  }

  /**
   * Returns a compacted topic of one partition in which each value replaces the previous one, such
   * as versions of a table: the last is kept forever, others for a week. Times are append times.
   */
  public Topic ensureVersions(String name) {
    return ensure(name, 1, known -> VERSIONS);
  }

  private Topic ensure(
      String name, int partitions, IntFunction<Map<String, String>> settingsOfPartitions) {
    try (Admin admin = LogClients.admin(bootstrapServers)) {
      Optional<TopicDescription> found = describe(admin, name);
      boolean created = false;
      if (found.isEmpty()) {
        created = create(admin, name, partitions, settingsOfPartitions.apply(partitions));
        found = created ? Optional.empty() : describe(admin, name);
      } else if (config.embedded()) {
        alter(admin, name, settingsOfPartitions.apply(partitionCount(found, partitions)));
      }
      int actual = partitionCount(found, partitions);
      if (created || config.embedded()) {
        awaitLeaders(admin, name, actual);
      }
      return new Topic(name, actual, created, difference(name, actual, partitions));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LogException("interrupted while creating topic " + name, e);
    } catch (ExecutionException e) {
      throw failure(name, e);
    }
  }

  private LogException failure(String name, ExecutionException e) {
    return new LogException(
        "topic "
            + name
            + " at "
            + bootstrapServers
            + ": "
            + e.getCause().getMessage()
            + EmbeddedLog.remedy(bootstrapServers),
        e);
  }

  /**
   * Deletes a topic with its contents, if it exists. The broker deletes its files shortly
   * afterwards.
   *
   * @throws LogException if the cluster rejects the request or does not respond
   */
  public void delete(String name) {
    try (Admin admin = LogClients.admin(bootstrapServers)) {
      admin.deleteTopics(List.of(name)).all().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LogException("interrupted while deleting topic " + name, e);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
        throw failure(name, e);
      }
    }
  }

  /**
   * A broker reports itself as leader before it accepts values. Of several requests in flight, it
   * might reject the first and accept the second, and then reject each retry of the first as out of
   * order.
   */
  private static void awaitLeaders(Admin admin, String name, int partitions)
      throws InterruptedException, ExecutionException {
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (int partition = 0; partition < partitions; partition++) {
      ends.put(new TopicPartition(name, partition), OffsetSpec.latest());
    }
    repeated(() -> admin.listOffsets(ends).all().get()); // retried until each leader responds
  }

  /**
   * Repeats a request while brokers that are starting, or busy, do not know each other or a new
   * topic yet. Kafka's client does not: it takes both for errors of the caller.
   */
  static <T> T repeated(Request<T> request) throws InterruptedException, ExecutionException {
    long began = System.nanoTime();
    while (true) {
      try {
        return request.send();
      } catch (ExecutionException e) {
        boolean isEarly =
            e.getCause() instanceof UnknownTopicOrPartitionException
                || e.getCause() instanceof InvalidReplicationFactorException;
        if (!isEarly || System.nanoTime() - began > TIMEOUT.toNanos()) {
          throw e;
        }
        Thread.sleep(AGAIN_MILLIS);
      }
    }
  }

  /** A request to the cluster that waits for its response. */
  @FunctionalInterface
  interface Request<T> {
    T send() throws InterruptedException, ExecutionException;
  }

  private static Optional<String> difference(String name, int actual, int partitions) {
    if (actual == partitions) {
      return Optional.empty();
    }
    return Optional.of(
        "topic "
            + name
            + " has "
            + actual
            + " partitions, the configuration says "
            + partitions
            + ": using the existing number");
  }

  private static int partitionCount(Optional<TopicDescription> found, int partitions) {
    return found.map(topic -> topic.partitions().size()).orElse(partitions);
  }

  private static Optional<TopicDescription> describe(Admin admin, String name)
      throws InterruptedException, ExecutionException {
    try {
      return Optional.of(admin.describeTopics(List.of(name)).topicNameValues().get(name).get());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static boolean create(
      Admin admin, String name, int partitions, Map<String, String> settings)
      throws InterruptedException, ExecutionException {
    try {
      repeated(
          () -> {
            int brokers = admin.describeCluster().nodes().get().size();
            short replicas = (short) Math.min(BrokerSettings.MAX_REPLICAS, brokers);
            NewTopic topic = new NewTopic(name, partitions, replicas).configs(settings);
            return admin.createTopics(List.of(topic)).all().get();
          });
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TopicExistsException) {
        return false;
      }
      throw e;
    }
  }

  /** Kafka's sizes are per partition, and only whole segments are deleted. */
  private Map<String, String> settings(int partitions, long retentionBytes) {
    long partitionBytes = Math.max(1, retentionBytes / partitions);
    long segmentBytes = Math.max(4L << 20, Math.min(256L << 20, partitionBytes / 4));
    Map<String, String> settings = new HashMap<>();
    settings.put(TopicConfig.RETENTION_BYTES_CONFIG, Long.toString(partitionBytes));
    settings.put(TopicConfig.RETENTION_MS_CONFIG, Long.toString(config.retention().toMillis()));
    settings.put(TopicConfig.SEGMENT_BYTES_CONFIG, Long.toString(segmentBytes));
    settings.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(LogConfig.MAX_VALUE_BYTES));
    settings.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
    return settings;
  }

  private static void alter(Admin admin, String name, Map<String, String> settings)
      throws InterruptedException, ExecutionException {
    List<AlterConfigOp> changes = new ArrayList<>();
    settings.forEach(
        (key, value) ->
            changes.add(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
    admin
        .incrementalAlterConfigs(
            Map.of(new ConfigResource(ConfigResource.Type.TOPIC, name), changes))
        .all()
        .get();
  }
}
