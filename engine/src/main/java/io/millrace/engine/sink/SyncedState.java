package io.millrace.engine.sink;

import io.millrace.wire.sink.BlockSink;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Serializer of state that is written only after the disk has synced the rows that it covers. The
 * sync does not block the task: Flink copies the state on the task's thread and writes the copy on
 * a checkpoint thread. Has the format of {@link BytePrimitiveArraySerializer}.
 */
final class SyncedState extends TypeSerializerSingleton<byte[]> {
  private static final long serialVersionUID = 1L;
  private static final BytePrimitiveArraySerializer BYTES = BytePrimitiveArraySerializer.INSTANCE;

  /** Set before the first checkpoint. */
  transient volatile BlockSink<?, ?> sink;

  @Override
  public void serialize(byte[] state, DataOutputView out) throws IOException {
    sink.sync();
    BYTES.serialize(state, out);
  }

  @Override
  public boolean isImmutableType() {
    return BYTES.isImmutableType();
  }

  @Override
  public byte[] createInstance() {
    return BYTES.createInstance();
  }

  @Override
  public byte[] copy(byte[] state) {
    return BYTES.copy(state);
  }

  @Override
  public byte[] copy(byte[] state, byte[] reuse) {
    return copy(state);
  }

  @Override
  public int getLength() {
    return BYTES.getLength();
  }

  @Override
  public byte[] deserialize(DataInputView in) throws IOException {
    return BYTES.deserialize(in);
  }

  @Override
  public byte[] deserialize(byte[] reuse, DataInputView in) throws IOException {
    return deserialize(in);
  }

  @Override
  public void copy(DataInputView in, DataOutputView out) throws IOException {
    BYTES.copy(in, out);
  }

  @Override
  public TypeSerializerSnapshot<byte[]> snapshotConfiguration() {
    return BYTES.snapshotConfiguration();
  }
}
