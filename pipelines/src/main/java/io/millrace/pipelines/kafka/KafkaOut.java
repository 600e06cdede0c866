package io.millrace.pipelines.kafka;

import io.millrace.datasets.catalog.Datasets;
import io.millrace.engine.sink.LogCoverage;
import io.millrace.engine.sink.LogPlace;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.engine.sink.TopicBlockSink;
import io.millrace.engine.sink.TopicSink;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.message.OutputColumns;
import java.io.Serializable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Output of the joined flows to an external topic: encoded on the thread that joins them, and
 * written exactly once ({@link TopicBlockSink}).
 *
 * @param config of the topic
 * @param bootstrapServers of the topic's Kafka
 * @param datasets with which the flows were joined, in order
 */
public record KafkaOut(
    KafkaOutConfig config,
    String bootstrapServers,
    LinkedHashMap<String, DatasetDeclaration> datasets)
    implements Serializable {
  /** Each commit takes some milliseconds and three round trips. */
  private static final Duration COMMIT_INTERVAL = Duration.ofMillis(500);

  private static final int COMMIT_ROWS = 1_000_000;

  /**
   * The columns of the messages, given the data sets.
   *
   * @throws IllegalArgumentException if a configured column does not exist
   */
  public static OutputColumns columns(
      KafkaOutConfig config, Map<String, DatasetDeclaration> datasets) {
    return OutputColumns.all(joined(datasets)).select(config.columns());
  }

  static List<OutputColumns.AddedColumn> joined(Map<String, DatasetDeclaration> datasets) {
    return DatasetDeclaration.toConfigs(datasets).stream()
        .flatMap(set -> Datasets.asBuilt(set).joined().stream())
        .map(
            field ->
                new OutputColumns.AddedColumn(
                    field.columnName(),
                    field.isText() ? JoinedColumn.Kind.TEXT : JoinedColumn.Kind.NUMBER))
        .toList();
  }

  /** Adds the step after the join. */
  public void addTo(
      DataStream<FlowBlock> joined, LogCoverage<FlowBlock> coverage, int parallelism) {
    KafkaOutConfig written = config;
    LinkedHashMap<String, DatasetDeclaration> sets = datasets;
    TopicSink sink =
        new TopicSink(
            bootstrapServers,
            config.topic(),
            config.compression(),
            config.transactionTimeout(),
            config.transactionalId(),
            config.properties());
    RewindableSink.of(
            subtask ->
                new TopicBlockSink<>(
                    sink, LogPlace.FLOWS, new BlockMessages(written, sets), subtask),
            coverage)
        .flushingEvery(COMMIT_INTERVAL, COMMIT_ROWS)
        .addTo(joined, "kafka-out", parallelism);
  }
}
