package io.millrace.engine.exchange;

import io.millrace.wire.block.Block;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

final class BlockSerializer<B extends Block> extends TypeSerializer<B> {
  private static final long serialVersionUID = 1L;

  private final BlockFormat<B> format;

  BlockSerializer(BlockFormat<B> format) {
    this.format = format;
  }

  /** False, since the owner of a block may change it. */
  @Override
  public boolean isImmutableType() {
    return false;
  }

  @Override
  public TypeSerializer<B> duplicate() {
    return new BlockSerializer<>(format.fresh());
  }

  @Override
  public B createInstance() {
    return null;
  }

  @Override
  public B copy(B from) {
    return format.copy(from);
  }

  @Override
  public B copy(B from, B reuse) {
    return format.copy(from);
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public void serialize(B block, DataOutputView target) throws IOException {
    format.write(block, target);
  }

  @Override
  public B deserialize(DataInputView source) throws IOException {
    return format.read(source);
  }

  @Override
  public B deserialize(B reuse, DataInputView source) throws IOException {
    return format.read(source);
  }

  @Override
  public void copy(DataInputView source, DataOutputView target) throws IOException {
    format.write(format.read(source), target);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockSerializer<?> that && format.name().equals(that.format.name());
  }

  @Override
  public int hashCode() {
    return format.name().hashCode();
  }

  @Override
  public TypeSerializerSnapshot<B> snapshotConfiguration() {
    return new BlockSerializerSnapshot<>(format);
  }
}
