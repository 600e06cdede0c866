package io.millrace.engine.source;

import io.millrace.wire.block.Frontier;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;

final class FrontierOffsets implements OffsetsInitializer {
  private static final long serialVersionUID = 1L;

  enum Clamp {
    /** For a start offset: raised to the oldest retained value. */
    TO_BEGIN,
    /**
     * For a stop offset: lowered to the current end, for which the job would otherwise wait
     * forever.
     */
    TO_END
  }

  private final Frontier frontier;
  private final Clamp clamp;

  FrontierOffsets(Frontier frontier, Clamp clamp) {
    this.frontier = frontier;
    this.clamp = clamp;
  }

  @Override
  public Map<TopicPartition, Long> getPartitionOffsets(
      Collection<TopicPartition> partitions, PartitionOffsetsRetriever log) {
    Map<TopicPartition, Long> bounds =
        clamp == Clamp.TO_BEGIN ? log.beginningOffsets(partitions) : log.endOffsets(partitions);
    Map<TopicPartition, Long> offsets = new HashMap<>();
    for (TopicPartition partition : partitions) {
      long wanted = frontier.next(partition.partition());
      long bound = bounds.get(partition);
      offsets.put(
          partition, clamp == Clamp.TO_BEGIN ? Math.max(wanted, bound) : Math.min(wanted, bound));
    }
    return offsets;
  }

  @Override
  @SuppressWarnings("deprecation") // The connector's signature.
  public OffsetResetStrategy getAutoOffsetResetStrategy() {
    return OffsetResetStrategy.EARLIEST;
  }
}
