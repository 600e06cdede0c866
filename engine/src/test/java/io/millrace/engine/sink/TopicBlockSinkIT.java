package io.millrace.engine.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import io.millrace.engine.SharedLog;
import io.millrace.engine.log.Compression;
import io.millrace.engine.operator.Subtask;
import io.millrace.testing.Await;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.sink.BlockSink;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A topic has each block exactly once, however often the job fails. */
@ExtendWith(SharedLog.class)
class TopicBlockSinkIT {
  private static final int BLOCKS = 100;
  private static final int IDLE = 1;

  /** A message with the block's offset. */
  private static final class Offsets implements TopicSink.Messages<FlowBlock> {
    @Override
    public void encode(FlowBlock block, Consumer<byte[]> out) {
      out.accept(ByteBuffer.allocate(Long.BYTES).putLong(block.logOffset()).array());
    }

    @Override
    public void close() {}
  }

  private final TopicSink sink =
      new TopicSink(
          SharedLog.bootstrapServers(),
          SharedLog.newTopic(1),
          Compression.NONE,
          Duration.ofSeconds(30),
          "test",
          Map.of());

  TopicBlockSinkIT() {
    SharedLog.make(TopicSink.positionsTopic(sink.topic()), 1);
  }

  private TopicBlockSink<FlowBlock> life(long token, Frontier covered) throws Exception {
    Subtask only =
        new Subtask(
            0,
            1,
            KeyGroups.of(128, 0, 1),
            UnregisteredMetricsGroup.createOperatorMetricGroup(),
            getClass().getClassLoader());
    TopicBlockSink<FlowBlock> target =
        new TopicBlockSink<>(sink, LogPlace.FLOWS, new Offsets(), only);
    target.rewind(token, covered);
    target.begin(token, BlockSink.NO_CHECKPOINT);
    return target;
  }

  private static void append(TopicBlockSink<FlowBlock> target, int partition, int from, int to)
      throws Exception {
    for (int offset = from; offset < to; offset++) {
      FlowBlock block = new FlowBlock(1);
      block.logPosition(partition, offset);
      block.rows(1);
      target.append(block);
    }
    target.flush();
  }

  @Test
  void aReplayOfManyCheckpointsThatFailsToo() throws Exception {
    try (TopicBlockSink<FlowBlock> first = life(1, Frontier.EMPTY)) {
      append(first, 0, 0, BLOCKS);
      append(first, IDLE, BLOCKS, BLOCKS + 1);
    }
    int checkpoints = 9;
    try (TopicBlockSink<FlowBlock> second = life(2, Frontier.EMPTY)) {
      for (int i = 1; i <= checkpoints; i++) {
        append(second, 0, i - 1, i);
        second.commit(i, new Frontier(Map.of(0, (long) i)));
      }
      Await.until("the beginning of the places to be cut off", () -> beginOfPlaces() > 0);
    }
    try (TopicBlockSink<FlowBlock> third = life(3, new Frontier(Map.of(0, (long) checkpoints)))) {
      append(third, 0, checkpoints, BLOCKS);
      append(third, IDLE, BLOCKS, BLOCKS + 2);
    }
    assertThat(written())
        .containsExactlyElementsOf(LongStream.range(0, BLOCKS + 2).boxed().toList());
  }

  /** A transaction of a killed process that a starting broker does not know yet. */
  @Test
  void blocksAfterAnOpenTransactionAreNotWrittenAgain() throws Exception {
    ByteArraySerializer bytes = new ByteArraySerializer();
    Map<String, Object> options =
        Map.of(
            "bootstrap.servers",
            SharedLog.bootstrapServers(),
            "transactional.id",
            sink.topic() + "-left",
            "transaction.timeout.ms",
            1_000);
    try (KafkaProducer<byte[], byte[]> left = new KafkaProducer<>(options, bytes, bytes)) {
      left.initTransactions();
      try (TopicBlockSink<FlowBlock> first = life(1, Frontier.EMPTY)) {
        left.beginTransaction();
        left.send(new ProducerRecord<>(TopicSink.positionsTopic(sink.topic()), new byte[1])).get();
        append(first, 0, 0, BLOCKS);
      }
      try (TopicBlockSink<FlowBlock> second = life(2, Frontier.EMPTY)) {
        append(second, 0, 0, BLOCKS + 1);
      }
    }
    assertThat(written())
        .containsExactlyElementsOf(LongStream.range(0, BLOCKS + 1).boxed().toList());
  }

  private KafkaConsumer<byte[], byte[]> reader() {
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    Map<String, Object> options =
        Map.of(
            "bootstrap.servers",
            SharedLog.bootstrapServers(),
            "isolation.level",
            "read_committed",
            "auto.offset.reset",
            "earliest");
    return new KafkaConsumer<>(options, bytes, bytes);
  }

  private long beginOfPlaces() {
    TopicPartition places = new TopicPartition(TopicSink.positionsTopic(sink.topic()), 0);
    try (KafkaConsumer<byte[], byte[]> reader = reader()) {
      return reader.beginningOffsets(List.of(places)).get(places);
    }
  }

  private List<Long> written() {
    TopicPartition all = new TopicPartition(sink.topic(), 0);
    List<Long> offsets = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> reader = reader()) {
      reader.assign(List.of(all));
      long end = reader.endOffsets(List.of(all)).get(all);
      while (reader.position(all) < end) {
        for (ConsumerRecord<byte[], byte[]> message : reader.poll(Duration.ofMillis(100))) {
          offsets.add(ByteBuffer.wrap(message.value()).getLong());
        }
      }
    }
    return offsets;
  }
}
