package io.millrace.engine.exchange;

import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** A raw batch: partition (int), offset (long), length (int), and its bytes. */
final class RawBatchFormat implements BlockFormat<RawBatch> {
  private static final long serialVersionUID = 1L;

  @Override
  public String name() {
    return "raw-batch";
  }

  @Override
  public Class<RawBatch> type() {
    return RawBatch.class;
  }

  @Override
  public void write(RawBatch batch, DataOutputView out) throws IOException {
    out.writeInt(batch.partition());
    out.writeLong(batch.offset());
    out.writeInt(batch.length());
    out.write(batch.bytes(), 0, batch.length());
  }

  @Override
  public RawBatch read(DataInputView in) throws IOException {
    int partition = in.readInt();
    long offset = in.readLong();
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return RawBatch.wrap(bytes, partition, offset);
  }

  @Override
  public RawBatch copy(RawBatch batch) {
    return RawBatch.wrap(
        Arrays.copyOf(batch.bytes(), batch.length()), batch.partition(), batch.offset());
  }

  @Override
  public BlockFormat<RawBatch> fresh() {
    return this;
  }
}
