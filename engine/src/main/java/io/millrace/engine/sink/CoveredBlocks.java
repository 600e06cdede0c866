package io.millrace.engine.sink;

import io.millrace.wire.block.Block;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Holds blocks and watermarks back until a completed checkpoint covers them. Checkpoints contain
 * the held blocks. After a failure, blocks may be emitted again, and the next step must recognise
 * them.
 *
 * <p>State: one piece per subtask, to keep the order of its blocks: event time in milliseconds (8
 * bytes), and for each block its length (4) and its bytes.
 */
final class CoveredBlocks<B extends Block> extends AbstractStreamOperator<B>
    implements OneInputStreamOperator<B, B> {
  private static final long serialVersionUID = 1L;

  private static final class Interval {
    private final List<StreamRecord<Block>> blocks = new ArrayList<>();
    private long millis = Long.MIN_VALUE;
  }

  /**
   * Held blocks by the checkpoint that covers them; the last entry has those since the last
   * barrier.
   */
  private transient NavigableMap<Long, Interval> held;

  private transient long restoredId;
  private transient ListState<byte[]> state;
  private transient BlockBuffer buffer;

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    held = new TreeMap<>();
    held.put(Long.MAX_VALUE, new Interval());
    buffer = new BlockBuffer(1 << 10);
    state =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("held", BytePrimitiveArraySerializer.INSTANCE));
    if (context.isRestored()) {
      Interval restored = new Interval();
      for (byte[] piece : state.get()) {
        read(new BlockInput(piece, 0, piece.length), restored);
      }
      restoredId = context.getRestoredCheckpointId().orElse(0);
      held.put(restoredId, restored);
    }
  }

  private static void read(BlockInput in, Interval into) {
    into.millis = Math.max(into.millis, in.takeLong());
    while (in.remaining() > 0) {
      int length = in.takeInt();
      int at = in.take(length);
      into.blocks.add(new StreamRecord<>(BlockCodec.decode(in.bytes(), at, length)));
    }
  }

  /** Emits restored blocks by a timer, since downstream steps are not open before the step runs. */
  @Override
  public void open() throws Exception {
    super.open();
    long now = getProcessingTimeService().getCurrentProcessingTime();
    var unused = getProcessingTimeService().registerTimer(now, time -> release(restoredId));
  }

  @Override
  public void processElement(StreamRecord<B> element) {
    held.lastEntry().getValue().blocks.add(new StreamRecord<>(element.getValue()));
  }

  @Override
  public void processWatermark(Watermark mark) {
    held.lastEntry().getValue().millis = mark.getTimestamp();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    held.put(context.getCheckpointId(), held.remove(Long.MAX_VALUE));
    held.put(Long.MAX_VALUE, new Interval());
    state.update(List.of(encoded()));
  }

  private byte[] encoded() {
    BlockBuffer out = new BlockBuffer(1 << 10);
    long millis = Long.MIN_VALUE;
    for (Interval interval : held.values()) {
      millis = Math.max(millis, interval.millis);
    }
    out.putLong(millis);
    for (Interval interval : held.values()) {
      for (StreamRecord<Block> block : interval.blocks) {
        buffer.clear();
        int length = BlockCodec.encode(block.getValue(), buffer);
        out.putInt(length);
        out.put(buffer.bytes(), 0, length);
      }
    }
    return out.toBytes();
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) throws Exception {
    super.notifyCheckpointComplete(checkpointId);
    release(checkpointId);
  }

  /** Called at the end of a bounded job. */
  @Override
  public void finish() throws Exception {
    release(Long.MAX_VALUE);
    held.put(Long.MAX_VALUE, new Interval());
    super.finish();
  }

  @SuppressWarnings("unchecked") // the input was of this type
  private void release(long checkpointId) {
    NavigableMap<Long, Interval> covered = held.headMap(checkpointId, true);
    for (Interval interval : covered.values()) {
      interval.blocks.forEach(block -> output.collect((StreamRecord<B>) (StreamRecord<?>) block));
      if (interval.millis > Long.MIN_VALUE) {
        output.emitWatermark(new Watermark(interval.millis));
      }
    }
    covered.clear();
  }
}
