package io.millrace.engine.checker;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.wire.block.RawBatch;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * Adds numbers by key, and emits the sum when it is above the threshold: the result depends on the
 * order in which the numbers of two sources arrive.
 *
 * <p>A row has the position of the <em>last</em> input of its sum. With {@link
 * Breakage#PLACE_OF_FIRST_INPUT}, it has that of the first.
 */
final class ThresholdSum implements Analyzer<RawBatch, RawBatch>, PartitionedState {
  private static final int STATE_LENGTH = Long.BYTES + Integer.BYTES + Long.BYTES;

  /** The state of a key. */
  private static final class Sum {
    long sum;

    /** Number of inputs of the key, to find the newer of two pieces of state. */
    long version;

    int firstPartition;
    long firstOffset;
  }

  private final boolean placeOfFirst;
  private final Map<Integer, Sum> sums = new TreeMap<>();

  ThresholdSum(Breakage breakage) {
    placeOfFirst = breakage == Breakage.PLACE_OF_FIRST_INPUT;
  }

  @Override
  public void process(RawBatch block, Emitter<RawBatch> out) {
    int key = Numbers.key(block);
    Sum sum = sums.computeIfAbsent(key, unseen -> new Sum());
    if (sum.sum == 0) {
      sum.firstPartition = block.partition();
      sum.firstOffset = block.offset();
    }
    sum.sum += Numbers.number(block);
    sum.version++;
    if (sum.sum > Scenario.THRESHOLD) {
      out.emit(
          placeOfFirst
              ? Numbers.block(key, sum.sum, sum.firstPartition, sum.firstOffset)
              : Numbers.block(key, sum.sum, block.partition(), block.offset()));
      sum.sum = 0;
    }
  }

  @Override
  public void snapshot(StateWriter out) throws Exception {
    for (Map.Entry<Integer, Sum> entry : sums.entrySet()) {
      Sum sum = entry.getValue();
      byte[] state =
          ByteBuffer.allocate(STATE_LENGTH)
              .putLong(sum.sum)
              .putInt(sum.firstPartition)
              .putLong(sum.firstOffset)
              .array();
      out.put(entry.getKey(), sum.version, state);
    }
  }

  @Override
  public void restore(int key, long version, byte[] state) {
    ByteBuffer in = ByteBuffer.wrap(state);
    Sum sum = new Sum();
    sum.version = version;
    sum.sum = in.getLong();
    sum.firstPartition = in.getInt();
    sum.firstOffset = in.getLong();
    sums.put(key, sum);
  }
}
