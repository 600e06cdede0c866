package io.millrace.engine.source;

import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.LogPartition;
import io.millrace.wire.block.RawBatch;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Wraps a value of the log as a batch, without copying or parsing its bytes. */
final class RawBatchSchema implements KafkaRecordDeserializationSchema<RawBatch> {
  private static final long serialVersionUID = 1L;

  private final int epoch;

  private transient Map<Integer, Long> expected;
  private transient Counter skipped;

  RawBatchSchema(int epoch) {
    this.epoch = epoch;
  }

  @Override
  public void open(DeserializationSchema.InitializationContext context) {
    expected = new HashMap<>();
    skipped = context.getMetricGroup().counter(LogSource.SKIPPED_VALUES);
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> value, Collector<RawBatch> out) {
    Long next = expected.put(value.partition(), value.offset() + 1);
    if (next != null && value.offset() > next) {
      skipped.inc(value.offset() - next);
    }
    byte[] bytes = value.value() == null ? new byte[0] : value.value();
    out.collect(RawBatch.wrap(bytes, LogPartition.of(value.partition(), epoch), value.offset()));
  }

  @Override
  public TypeInformation<RawBatch> getProducedType() {
    return BlockTypeInfo.RAW;
  }
}
