package io.millrace.engine.exchange;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.BlockFamily;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import java.io.IOException;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * Flink type information for blocks. Each kind of block in a job has one, so nothing falls back to
 * Flink's generic serialisation.
 *
 * @param <B> the kind of block
 */
public final class BlockTypeInfo<B extends Block> extends TypeInformation<B> {
  private static final long serialVersionUID = 1L;

  /** Batches of datagrams as received. */
  public static final BlockTypeInfo<RawBatch> RAW = new BlockTypeInfo<>(new RawBatchFormat());

  /** Flows in columns. */
  public static final BlockTypeInfo<FlowBlock> FLOWS =
      new BlockTypeInfo<>(new CodecFormat<>("flow-block", FlowBlock.class));

  /** Rows of tables, each block with its schema. */
  public static final BlockTypeInfo<TableBlock> TABLES =
      new BlockTypeInfo<>(new CodecFormat<>("table-block", TableBlock.class));

  private final BlockFormat<B> format;

  private BlockTypeInfo(BlockFormat<B> format) {
    this.format = format;
  }

  /** Blocks of another family. */
  public static <B extends Block> BlockTypeInfo<B> of(BlockFamily<B> family) {
    return new BlockTypeInfo<>(new CodecFormat<>(family.name(), family.type()));
  }

  /**
   * Returns the type information for a job that starts and ends in one process: blocks are passed
   * between threads by reference, each to one receiver, without copying or serialisation.
   */
  public BlockTypeInfo<B> byReference() {
    return new BlockTypeInfo<>(new ReferenceFormat<>(format));
  }

  @SuppressWarnings("unchecked") // Each class is of one kind.
  public static <B extends Block> BlockTypeInfo<B> ofBlocks(Class<B> type) {
    if (type == RawBatch.class) {
      return (BlockTypeInfo<B>) RAW;
    }
    return of(
        BlockCodec.family(type)
            .orElseThrow(() -> new IllegalArgumentException("not a block type: " + type)));
  }

  @SuppressWarnings("unchecked") // A snapshot is restored with the type that it was written for.
  static <B extends Block> BlockFormat<B> formatNamed(String name) throws IOException {
    if (name.equals(RAW.format.name())) {
      return (BlockFormat<B>) RAW.format;
    }
    BlockFamily<?> family =
        BlockCodec.family(name)
            .orElseThrow(
                () ->
                    new IOException(
                        "unknown type of block: "
                            + name
                            + " (a newer release or a missing plugin wrote it)"));
    return (BlockFormat<B>) of(family).format;
  }

  @Override
  public boolean isBasicType() {
    return false;
  }

  @Override
  public boolean isTupleType() {
    return false;
  }

  @Override
  public int getArity() {
    return 1;
  }

  @Override
  public int getTotalFields() {
    return 1;
  }

  @Override
  public Class<B> getTypeClass() {
    return format.type();
  }

  @Override
  public boolean isKeyType() {
    return false;
  }

  @Override
  public TypeSerializer<B> createSerializer(SerializerConfig config) {
    return new BlockSerializer<>(format.fresh());
  }

  @Override
  public String toString() {
    return "block " + format.name();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockTypeInfo<?> that && format.name().equals(that.format.name());
  }

  @Override
  public int hashCode() {
    return format.name().hashCode();
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof BlockTypeInfo<?>;
  }
}
