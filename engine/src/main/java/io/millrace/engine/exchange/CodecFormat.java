package io.millrace.engine.exchange;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** A block as {@link BlockCodec} writes it, preceded by its length (int). */
final class CodecFormat<B extends Block> implements BlockFormat<B> {
  private static final long serialVersionUID = 1L;
  private static final int FIRST_CAPACITY = 4 << 10;

  private final String name;
  private final Class<B> type;

  private transient BlockBuffer written;

  private transient byte[] read;

  CodecFormat(String name, Class<B> type) {
    this.name = name;
    this.type = type;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Class<B> type() {
    return type;
  }

  @Override
  public void write(B block, DataOutputView out) throws IOException {
    int length = encode(block);
    out.writeInt(length);
    out.write(written.bytes(), 0, length);
  }

  private int encode(B block) {
    if (written == null) {
      written = new BlockBuffer(FIRST_CAPACITY);
    }
    written.clear();
    return BlockCodec.encode(block, written);
  }

  @Override
  public B read(DataInputView in) throws IOException {
    int length = in.readInt();
    if (read == null || read.length < length) {
      read = new byte[Math.max(FIRST_CAPACITY, length)];
    }
    in.readFully(read, 0, length);
    return type.cast(BlockCodec.decode(read, 0, length));
  }

  @Override
  public B copy(B block) {
    int length = encode(block);
    return type.cast(BlockCodec.decode(written.bytes(), 0, length));
  }

  @Override
  public BlockFormat<B> fresh() {
    return new CodecFormat<>(name, type);
  }
}
