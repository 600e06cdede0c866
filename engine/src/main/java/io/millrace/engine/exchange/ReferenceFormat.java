package io.millrace.engine.exchange;

import io.millrace.wire.block.Block;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Passes blocks by reference between the threads of one process: only the number of a slot is
 * serialised. Checkpoints contain no numbers, since barriers do not overtake blocks. A number is
 * padded to {@link #WEIGHT} bytes, so that Flink's limit on buffers also limits the blocks in
 * flight. If a job fails, its blocks in flight stay in memory, so this is only for jobs that end
 * with their process.
 */
final class ReferenceFormat<B extends Block> implements BlockFormat<B> {
  private static final long serialVersionUID = 1L;

  /** Four blocks fit into a network buffer of the default size. */
  private static final int WEIGHT = 8 << 10;

  private static final byte[] FILLER = new byte[WEIGHT - 2 * Long.BYTES];

  private static final long PROCESS = UUID.randomUUID().getMostSignificantBits();
  private static final AtomicLong NEXT = new AtomicLong();
  private static final Map<Long, Block> UNDER_WAY = new ConcurrentHashMap<>();

  private final BlockFormat<B> format;

  ReferenceFormat(BlockFormat<B> format) {
    this.format = format;
  }

  @Override
  public String name() {
    return format.name() + "-reference";
  }

  @Override
  public Class<B> type() {
    return format.type();
  }

  @Override
  public void write(B block, DataOutputView out) throws IOException {
    long number = NEXT.getAndIncrement();
    UNDER_WAY.put(number, block);
    out.writeLong(PROCESS);
    out.writeLong(number);
    out.write(FILLER);
  }

  @Override
  public B read(DataInputView in) throws IOException {
    long process = in.readLong();
    Block block = UNDER_WAY.remove(in.readLong());
    in.skipBytesToRead(FILLER.length);
    if (process != PROCESS || block == null) {
      throw new IOException(name() + " was written by another process, or was already read");
    }
    return type().cast(block);
  }

  @Override
  public B copy(B block) {
    return format.copy(block);
  }

  @Override
  public BlockFormat<B> fresh() {
    return new ReferenceFormat<>(format.fresh());
  }
}
