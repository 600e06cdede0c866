package io.millrace.engine.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class BlockSerializerTest {
  private static final TypeSerializer<RawBatch> RAW =
      BlockTypeInfo.RAW.createSerializer(new SerializerConfigImpl());
  private static final TypeSerializer<FlowBlock> FLOWS =
      BlockTypeInfo.FLOWS.createSerializer(new SerializerConfigImpl());

  private static RawBatch batch() {
    return RawBatch.wrap(new byte[] {1, 2, 3}, 4, 5_000_000_000L);
  }

  private static FlowBlock flows(int rows) {
    FlowBlock block = new FlowBlock(2);
    block.reserve(rows);
    for (int i = 0; i < rows; i++) {
      block.longs(FlowColumn.BYTES)[i] = 1000L + i;
      block.logIndex()[i] = i;
    }
    block.rows(rows);
    return block;
  }

  private static <T> DataInputDeserializer written(TypeSerializer<T> serializer, T value)
      throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(16);
    serializer.serialize(value, out);
    return new DataInputDeserializer(out.getCopyOfBuffer());
  }

  private static void assertSame(RawBatch actual, RawBatch expected) {
    assertThat(actual.bytes()).containsExactly(expected.bytes());
    assertThat(actual.partition()).isEqualTo(expected.partition());
    assertThat(actual.offset()).isEqualTo(expected.offset());
  }

  private static void assertSame(FlowBlock actual, FlowBlock expected) {
    assertThat(actual.rows()).isEqualTo(expected.rows());
    for (int i = 0; i < expected.rows(); i++) {
      assertThat(actual.longs(FlowColumn.BYTES)[i]).isEqualTo(expected.longs(FlowColumn.BYTES)[i]);
      assertThat(actual.logIndex()[i]).isEqualTo(expected.logIndex()[i]);
    }
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    assertSame(RAW.deserialize(written(RAW, batch())), batch());
    for (int rows : new int[] {0, 1, 3000}) {
      assertSame(FLOWS.deserialize(written(FLOWS, flows(rows))), flows(rows));
    }
  }

  @Test
  void bytesAreCopiedBetweenStreams() throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(16);
    DataInputDeserializer in = written(FLOWS, flows(7));
    FLOWS.copy(in, out);
    assertThat(in.available()).isZero();
    assertSame(FLOWS.deserialize(new DataInputDeserializer(out.getCopyOfBuffer())), flows(7));
  }

  @Test
  void aCopyHasSeparateMemory() {
    RawBatch raw = batch();
    RawBatch rawCopy = RAW.copy(raw);
    raw.bytes()[0] = 99;
    assertSame(rawCopy, batch());

    FlowBlock block = flows(3);
    FlowBlock copy = FLOWS.copy(block);
    FLOWS.copy(flows(2)); // reuses the serializer's scratch memory
    block.longs(FlowColumn.BYTES)[0] = 99;
    assertSame(copy, flows(3));
  }

  @Test
  void aSnapshotRestoresItsSerializer() throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(16);
    FLOWS.snapshotConfiguration().writeSnapshot(out);
    BlockSerializerSnapshot<FlowBlock> read = new BlockSerializerSnapshot<>();
    read.readSnapshot(
        1,
        new DataInputDeserializer(out.getCopyOfBuffer()),
        BlockSerializerTest.class.getClassLoader());
    assertThat(read.restoreSerializer()).isEqualTo(FLOWS).isNotEqualTo(RAW);
    assertThat(FLOWS.duplicate()).isEqualTo(FLOWS).isNotSameAs(FLOWS);
    assertThat(FLOWS.snapshotConfiguration().resolveSchemaCompatibility(read).isCompatibleAsIs())
        .isTrue();
  }

  @Test
  @SuppressWarnings("unchecked") // The method must reject a snapshot of another kind.
  void anotherKindOfBlockIsIncompatible() {
    TypeSerializerSnapshot<FlowBlock> raw =
        (TypeSerializerSnapshot<FlowBlock>) (TypeSerializerSnapshot<?>) RAW.snapshotConfiguration();
    assertThat(FLOWS.snapshotConfiguration().resolveSchemaCompatibility(raw).isIncompatible())
        .isTrue();
  }

  @Test
  void aNewerSnapshotOrAnUnknownKindIsReported() throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(16);
    out.writeUTF("voice-block");
    ClassLoader loader = BlockSerializerTest.class.getClassLoader();
    BlockSerializerSnapshot<FlowBlock> snapshot = new BlockSerializerSnapshot<>();
    assertThatThrownBy(
            () ->
                snapshot.readSnapshot(2, new DataInputDeserializer(out.getCopyOfBuffer()), loader))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 2");
    assertThatThrownBy(
            () ->
                snapshot.readSnapshot(1, new DataInputDeserializer(out.getCopyOfBuffer()), loader))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("voice-block");
  }
}
