package io.millrace.engine.exchange;

import io.millrace.wire.block.Block;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Snapshot of a {@link BlockSerializer} in a checkpoint: the name of its format. The bytes of a
 * block carry their own version. Public because Flink instantiates it by name.
 *
 * @param <B> the kind of block
 */
public final class BlockSerializerSnapshot<B extends Block> implements TypeSerializerSnapshot<B> {
  private static final int VERSION = 1;

  private BlockFormat<B> format;

  /** For Flink, which calls {@link #readSnapshot} next. */
  public BlockSerializerSnapshot() {}

  BlockSerializerSnapshot(BlockFormat<B> format) {
    this.format = format;
  }

  @Override
  public int getCurrentVersion() {
    return VERSION;
  }

  @Override
  public void writeSnapshot(DataOutputView out) throws IOException {
    out.writeUTF(format.name());
  }

  @Override
  public void readSnapshot(int version, DataInputView in, ClassLoader classLoader)
      throws IOException {
    if (version != VERSION) {
      throw new IOException(
          "block serializer snapshot of version " + version + ", this release reads " + VERSION);
    }
    format = BlockTypeInfo.formatNamed(in.readUTF());
  }

  @Override
  public TypeSerializer<B> restoreSerializer() {
    return new BlockSerializer<>(format.fresh());
  }

  @Override
  public TypeSerializerSchemaCompatibility<B> resolveSchemaCompatibility(
      TypeSerializerSnapshot<B> old) {
    return old instanceof BlockSerializerSnapshot<?> that
            && that.format.name().equals(format.name())
        ? TypeSerializerSchemaCompatibility.compatibleAsIs()
        : TypeSerializerSchemaCompatibility.incompatible();
  }
}
