package io.millrace.engine.bridge;

import io.millrace.engine.log.LogException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Number that identifies a partition of an external topic in the log.
 *
 * <pre>
 *   63                                16 15          0
 *   +-----------------------------------+-------------+
 *   | hash of the topic's id            | partition   |
 *   +-----------------------------------+-------------+
 * </pre>
 *
 * The id is Kafka's own. A topic that is deleted and created again gets another one: its offsets
 * start at 0 again, and must not be taken for those of the first one.
 */
final class Sources {
  private static final int ANSWER_SECONDS = 15;
  private static final int PARTITION_BITS = 16;

  private final Map<String, Long> hashes = new HashMap<>();

  private Sources() {}

  static Sources of(String bootstrap, Map<String, String> properties, List<String> topics)
      throws InterruptedException {
    Map<String, Object> options = new HashMap<>(properties);
    options.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    options.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    Sources sources = new Sources();
    try (Admin admin = Admin.create(options)) {
      Map<String, TopicDescription> found =
          admin.describeTopics(topics).allTopicNames().get(ANSWER_SECONDS, TimeUnit.SECONDS);
      found.forEach((name, topic) -> sources.hashes.put(name, hash(topic.topicId())));
    } catch (ExecutionException e) {
      throw new LogException(
          "topics " + topics + " at " + bootstrap + ": " + e.getCause().getMessage(), e);
    } catch (TimeoutException e) {
      throw new LogException(
          "no Kafka broker responds at " + bootstrap + " within " + ANSWER_SECONDS + " s", e);
    }
    return sources;
  }

  private static long hash(Uuid id) {
    long mixed = id.getMostSignificantBits() * 0x9E37_79B9_7F4A_7C15L;
    mixed = (mixed ^ mixed >>> 32 ^ id.getLeastSignificantBits()) * 0xBF58_476D_1CE4_E5B9L;
    return (mixed ^ mixed >>> 29) << PARTITION_BITS;
  }

  long number(TopicPartition partition) {
    return hashes.get(partition.topic()) | partition.partition();
  }

  int logPartition(TopicPartition partition, int partitions) {
    long turn = (number(partition) >>> PARTITION_BITS) + partition.partition();
    return (int) (turn % partitions);
  }
}
