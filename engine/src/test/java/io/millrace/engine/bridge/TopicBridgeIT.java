package io.millrace.engine.bridge;

import static org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation.LEAVE_GROUP;
import static org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.SharedLog;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogReader;
import io.millrace.engine.log.LogWriter;
import io.millrace.testing.Await;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedLog.class)
class TopicBridgeIT {
  private static final int PARTITIONS = 3;
  private static final int MESSAGES = 5_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private final String topic = SharedLog.newTopic(PARTITIONS);
  private final String log = SharedLog.newTopic(2);

  private final BridgeConfig config =
      new BridgeConfig(
          List.of(topic),
          null,
          BridgeConfig.Format.FLOWPB,
          "group-of-" + topic,
          BridgeConfig.Start.EARLIEST,
          Map.of());

  private void produce(int from, int to) {
    try (LogWriter writer = new LogWriter(SharedLog.bootstrapServers(), topic, SharedLog.CONFIG)) {
      for (int i = from; i < to; i++) {
        assertThat(writer.offer(i % PARTITIONS, ByteBuffer.allocate(4).putInt(i).array(), 1, null))
            .isTrue();
      }
      writer.flush();
    }
  }

  private void carryUntil(BridgeConfig with, long messages) throws Exception {
    try (LogWriter writer = new LogWriter(SharedLog.bootstrapServers(), log, SharedLog.CONFIG);
        TopicBridge bridge =
            new TopicBridge(with, "member", SharedLog.bootstrapServers(), writer)) {
      bridge.start();
      Await.until(
          "the messages, with the failure cleared", // by the read after the last message
          () -> bridge.messages() >= messages && bridge.failure().isEmpty());
    }
  }

  /** Numbers in the messages of the log by source, in the order of the log. */
  private Map<Long, List<Integer>> logged() {
    Map<Long, List<Integer>> logged = new HashMap<>();
    Map<Long, Integer> partitions = new HashMap<>();
    try (LogOffsets offsets = new LogOffsets(SharedLog.bootstrapServers(), log)) {
      LogReader.read(
          SharedLog.bootstrapServers(),
          log,
          Frontier.EMPTY,
          offsets.end(),
          TIMEOUT,
          (partition, offset, time, key, value) -> {
            RawBatch batch = RawBatch.wrap(value, partition, offset);
            assertThat(batch.isSound() && batch.isMessages()).isTrue();
            int cursor = batch.first();
            for (int i = 0; i < batch.rows(); i++, cursor = batch.next(cursor)) {
              long source = batch.source(cursor);
              Integer before = partitions.putIfAbsent(source, partition);
              assertThat(before).as("a source stays in its partition").isIn(null, partition);
              int number = ByteBuffer.wrap(value, batch.payload(cursor), 4).getInt();
              assertThat(batch.sourceOffset(cursor)).isEqualTo(number / PARTITIONS);
              assertThat(source & 0xFFFF).isEqualTo(number % PARTITIONS);
              logged.computeIfAbsent(source, s -> new ArrayList<>()).add(number);
            }
            return true;
          });
    }
    return logged;
  }

  @Test
  void everyMessageIsInTheLogInOrderAndASecondBridgeContinues() throws Exception {
    produce(0, MESSAGES);
    carryUntil(config, MESSAGES);
    produce(MESSAGES, MESSAGES + 30);
    carryUntil(config, 30);
    Map<Long, List<Integer>> logged = logged();
    assertThat(logged).hasSize(PARTITIONS);
    logged.values().forEach(list -> assertThat(list).isSorted().doesNotHaveDuplicates());
    assertThat(logged.values().stream().mapToInt(List::size).sum()).isEqualTo(MESSAGES + 30);
  }

  /** A killed reader stays a member of the group for longer than any test waits. */
  @Test
  void theSuccessorOfAKilledReaderDoesNotWaitForItsSession() throws Exception {
    produce(0, 30);
    try (Consumer<byte[], byte[]> killed = member("member")) {
      killed.subscribe(List.of(topic));
      Await.until("partitions", () -> !killed.poll(Duration.ofMillis(100)).isEmpty());
      killed.close(CloseOptions.groupMembershipOperation(REMAIN_IN_GROUP));
    }
    carryUntil(config, 30);
    assertThat(logged().values().stream().mapToInt(List::size).sum()).isEqualTo(30);
  }

  /** A copy of an instance has the same name. */
  @Test
  void ofTwoReadersWithOneNameBothContinueAndTheFirstLosesIt() throws Exception {
    produce(0, 30);
    try (LogWriter writer = new LogWriter(SharedLog.bootstrapServers(), log, SharedLog.CONFIG);
        TopicBridge first =
            new TopicBridge(config, "member", SharedLog.bootstrapServers(), writer)) {
      first.start();
      Await.until("the messages", () -> first.messages() == 30);
      try (Consumer<byte[], byte[]> second = member("member")) {
        second.subscribe(List.of(topic));
        Await.until(
            "the first one's fall and return",
            () -> {
              second.poll(Duration.ofMillis(100));
              return !second.assignment().isEmpty() && second.assignment().size() < PARTITIONS;
            });
        second.close(CloseOptions.groupMembershipOperation(LEAVE_GROUP));
      }
      produce(30, 60);
      Await.until("the later messages", () -> carried() == 60);
    }
  }

  /** Messages in the log, each counted once. */
  private long carried() {
    return logged().values().stream().flatMap(List::stream).distinct().count();
  }

  private Consumer<byte[], byte[]> member(String name) {
    return new KafkaConsumer<>(
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            SharedLog.bootstrapServers(),
            ConsumerConfig.GROUP_ID_CONFIG,
            config.group(),
            ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
            name,
            ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
            (int) Duration.ofMinutes(30).toMillis(),
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            "earliest",
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  /** Like after a kill before the first commit: a new group without offsets. */
  @Test
  void uncommittedMessagesAreWrittenAgainInOrder() throws Exception {
    produce(0, MESSAGES);
    carryUntil(config, MESSAGES);
    BridgeConfig forgetful =
        new BridgeConfig(
            List.of(topic),
            null,
            BridgeConfig.Format.FLOWPB,
            "another-of-" + topic,
            BridgeConfig.Start.EARLIEST,
            Map.of());
    carryUntil(forgetful, MESSAGES);
    Map<Long, List<Integer>> logged = logged();
    assertThat(logged).as("the same sources again").hasSize(PARTITIONS);
    for (List<Integer> list : logged.values()) {
      int half = list.size() / 2;
      assertThat(list.subList(0, half)).isSorted().isEqualTo(list.subList(half, list.size()));
    }
  }

  @Test
  void aMissingTopicIsWaitedFor() throws Exception {
    BridgeConfig early = config.withTopics(List.of(topic + "-later"));
    try (LogWriter writer = new LogWriter(SharedLog.bootstrapServers(), log, SharedLog.CONFIG);
        TopicBridge bridge =
            new TopicBridge(early, "member", SharedLog.bootstrapServers(), writer)) {
      bridge.start();
      Await.until("a word about it", () -> bridge.failure().contains(topic + "-later"));
    }
  }
}
