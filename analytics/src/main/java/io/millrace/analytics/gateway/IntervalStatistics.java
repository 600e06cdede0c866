package io.millrace.analytics.gateway;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Statistics of gateways by arrival interval: exact mean, median and 95th percentile of their
 * bytes. Runs as one subtask on {@link GatewayDays#VALUES} of all subtasks; keeps the values of
 * open intervals, eight bytes per gateway.
 *
 * <p>Percentiles are nearest ranks; the median of an even number of values is the mean of the
 * middle two.
 */
public final class IntervalStatistics
    implements Analyzer<TableBlock, TableBlock>, PartitionedState {
  /** One row per interval with records. */
  public static final TableSchema INTERVALS =
      TableSchema.builder()
          .time("interval_start")
          .number("gateways")
          .number("bytes")
          .fraction("mean")
          .fraction("median")
          .number("p95")
          .build();

  private static final int FIRST_CAPACITY = 64;

  private final TreeMap<Long, Values> open = new TreeMap<>();

  private final long intervalMicros;
  private int index;
  private int count;

  /**
   * @param intervalMicros length of an interval
   */
  public IntervalStatistics(long intervalMicros) {
    this.intervalMicros = intervalMicros;
  }

  private static final class Values {
    private long[] values = new long[FIRST_CAPACITY];
    private int size;

    void add(long value) {
      if (size == values.length) {
        values = Arrays.copyOf(values, size * 2);
      }
      values[size++] = value;
    }
  }

  @Override
  public void open(AnalyzerContext context) {
    index = context.index();
    count = context.count();
  }

  @Override
  public void process(TableBlock block, Emitter<TableBlock> out) {
    long[] starts = block.longs(0);
    long[] bytes = block.longs(1);
    long start = 0;
    Values values = null;
    for (int row = 0; row < block.rows(); row++) {
      if (values == null || starts[row] != start) {
        start = starts[row];
        values = open.computeIfAbsent(start, none -> new Values());
      }
      values.add(bytes[row]);
    }
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    while (!open.isEmpty()
        && (micros == Long.MAX_VALUE || open.firstKey() + intervalMicros <= micros + 1)) {
      Map.Entry<Long, Values> over = open.pollFirstEntry();
      out.emit(row(over.getKey(), over.getValue()));
    }
  }

  private static TableBlock row(long start, Values values) {
    long[] sorted = values.values;
    int n = values.size;
    Arrays.sort(sorted, 0, n);
    long sum = 0;
    double exact = 0;
    for (int i = 0; i < n; i++) {
      sum = Volumes.plus(sum, sorted[i]);
      exact += sorted[i];
    }
    TableBlock block = new TableBlock(INTERVALS, 1);
    block.longs(0)[0] = start;
    block.longs(1)[0] = n;
    block.longs(2)[0] = sum;
    block.doubles(3)[0] = (sum < Volumes.MAX ? (double) sum : exact) / n;
    block.doubles(4)[0] =
        n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + (double) sorted[n / 2]) / 2;
    block.longs(5)[0] = sorted[(int) ((n * 95L + 99) / 100) - 1];
    block.rows(1);
    return block;
  }

  @Override
  public void snapshot(StateWriter out) throws Exception {
    int rows = open.values().stream().mapToInt(values -> values.size).sum();
    if (rows == 0) {
      return;
    }
    TableBlock block = new TableBlock(GatewayDays.VALUES, rows);
    int row = 0;
    for (Map.Entry<Long, Values> entry : open.entrySet()) {
      int size = entry.getValue().size;
      Arrays.fill(block.longs(0), row, row + size, entry.getKey());
      System.arraycopy(entry.getValue().values, 0, block.longs(1), row, size);
      row += size;
    }
    block.rows(rows);
    BlockBuffer bytes = new BlockBuffer(1 << 10);
    BlockCodec.encode(block, bytes);
    out.put(index, 0, bytes.toBytes());
  }

  /** Each piece is restored by one subtask, at any parallelism. */
  @Override
  public void restore(int piece, long version, byte[] state) {
    if (piece % count == index) {
      process((TableBlock) BlockCodec.decode(state, 0, state.length), block -> {});
    }
  }
}
