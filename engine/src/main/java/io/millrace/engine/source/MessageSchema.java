package io.millrace.engine.source;

import io.millrace.engine.exchange.BlockTypeInfo;
import io.millrace.wire.block.LogPartition;
import io.millrace.wire.block.RawBatch;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

final class MessageSchema implements KafkaRecordDeserializationSchema<RawBatch> {
  private static final long serialVersionUID = 1L;

  private final int epoch;

  MessageSchema(int epoch) {
    this.epoch = epoch;
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> value, Collector<RawBatch> out) {
    int partition = LogPartition.of(value.partition(), epoch);
    RawBatch batch = RawBatch.wrap(value.value(), partition, value.offset());
    long first = batch.sourceOffset(batch.first());
    out.collect(RawBatch.wrap(value.value(), partition, first));
  }

  @Override
  public TypeInformation<RawBatch> getProducedType() {
    return BlockTypeInfo.RAW;
  }
}
