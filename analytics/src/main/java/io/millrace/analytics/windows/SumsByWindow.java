package io.millrace.analytics.windows;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.io.Serializable;
import java.util.List;

/**
 * Sums rows of tables by key and sliding window. At the end of each window, emits one row for each
 * of its keys: {@code window_end}, the key's columns, {@code row_count}, and the sums under the
 * names of their columns. Late rows are counted as {@code lateRows}.
 */
public final class SumsByWindow implements KeyedAnalyzer<TableBlock, TableBlock> {
  private static final int BLOCK_ROWS = 4_096;

  /**
   * Columns and windows.
   *
   * @param windows sliding windows
   * @param in input table
   * @param time its column with the event time
   * @param keys one or two of its columns of whole numbers or times, or one of addresses
   * @param sums its columns of whole numbers to be summed; a null adds nothing
   */
  public record Settings(
      SlidingWindows windows, TableSchema in, String time, List<String> keys, List<String> sums)
      implements Serializable {
    public Settings {
      keys = List.copyOf(keys);
      sums = List.copyOf(sums);
      require(in, time, TableSchema.Type.TIME);
      boolean isAddress = keys.size() == 1 && typeOf(in, keys.get(0)) == TableSchema.Type.ADDRESS;
      if (!isAddress) {
        if (keys.isEmpty() || keys.size() > 2) {
          throw new IllegalArgumentException("key " + keys + ", expected one or two columns");
        }
        keys.forEach(key -> require(in, key, TableSchema.Type.LONG, TableSchema.Type.TIME));
      }
      sums.forEach(sum -> require(in, sum, TableSchema.Type.LONG));
    }

    private static TableSchema.Type typeOf(TableSchema in, String column) {
      int index = in.indexOf(column);
      if (index < 0) {
        throw new IllegalArgumentException(
            "unknown column '" + column + "', expected one of " + in.columns());
      }
      return in.type(index);
    }

    private static void require(TableSchema in, String column, TableSchema.Type... allowed) {
      TableSchema.Type type = typeOf(in, column);
      if (!List.of(allowed).contains(type)) {
        throw new IllegalArgumentException(
            "column '" + column + "' is " + type + ", expected " + List.of(allowed));
      }
    }

    /** The output table. */
    public TableSchema out() {
      TableSchema.Builder out = TableSchema.builder().time("window_end");
      for (String key : keys) {
        switch (typeOf(in, key)) {
          case TIME -> out.time(key);
          case ADDRESS -> out.address(key);
          default -> out.number(key);
        }
      }
      out.number("row_count");
      sums.forEach(out::number);
      return out.build();
    }

    /** Partitioning of the rows. */
    public RowKeys<TableBlock> rowKeys() {
      int first = in.indexOf(keys.get(0));
      int second = keys.size() == 1 ? -1 : in.indexOf(keys.get(1));
      return (block, hashes) -> {
        long[] firsts = firsts(block, first);
        long[] seconds = seconds(block, first, second);
        for (int row = 0; row < block.rows(); row++) {
          hashes[row] = Hash.of(firsts[row], seconds == null ? 0 : seconds[row]);
        }
      };
    }
  }

  private final Settings settings;
  private final TableSchema out;
  private final int time;
  private final int firstKey;
  private final int secondKey;
  private final int[] sums;
  private final long[] amounts;
  private SlidingSums state;
  private AnalyzerContext.Counter lateRows;

  /** An unopened analyzer. */
  public SumsByWindow(Settings settings) {
    this.settings = settings;
    out = settings.out();
    TableSchema in = settings.in();
    time = in.indexOf(settings.time());
    firstKey = in.indexOf(settings.keys().get(0));
    secondKey = settings.keys().size() == 1 ? -1 : in.indexOf(settings.keys().get(1));
    sums = settings.sums().stream().mapToInt(in::indexOf).toArray();
    amounts = new long[1 + sums.length];
  }

  private static long[] firsts(TableBlock block, int column) {
    long[] high = block.addressHigh(column);
    return high == null ? block.longs(column) : high;
  }

  private static long[] seconds(TableBlock block, int first, int second) {
    return second < 0 ? block.addressLow(first) : block.longs(second);
  }

  @Override
  public void open(AnalyzerContext context) {
    state = new SlidingSums(context.keyGroups(), settings.windows(), amounts.length);
    lateRows = context.counter("lateRows");
  }

  @Override
  public void process(TableBlock block, Emitter<TableBlock> emitter) {
    long[] times = block.longs(time);
    long[] firsts = firsts(block, firstKey);
    long[] seconds = seconds(block, firstKey, secondKey);
    int rows = block.rows();
    int late = 0;
    amounts[0] = 1;
    for (int row = 0; row < rows; row++) {
      long first = firsts[row];
      long second = seconds == null ? 0 : seconds[row];
      for (int i = 0; i < sums.length; i++) {
        long amount = block.longs(sums[i])[row];
        amounts[i + 1] = amount == TableBlock.NULL ? 0 : amount;
      }
      late += state.add(times[row], Hash.of(first, second), first, second, amounts) ? 0 : 1;
    }
    lateRows.add(late);
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> emitter) throws Exception {
    state.advance(micros, (end, table) -> emit(end, table, emitter));
  }

  private void emit(long end, KeyTable table, Emitter<TableBlock> emitter) {
    for (int from = 0; from < table.size(); from += BLOCK_ROWS) {
      int rows = Math.min(BLOCK_ROWS, table.size() - from);
      TableBlock block = new TableBlock(out, rows);
      int keyColumns = settings.keys().size();
      long[] ends = block.longs(0);
      long[] firsts = firsts(block, 1);
      long[] seconds = seconds(block, 1, keyColumns == 1 ? -1 : 2);
      for (int row = 0; row < rows; row++) {
        ends[row] = end;
        firsts[row] = table.key(from + row, 0);
        if (seconds != null) {
          seconds[row] = table.key(from + row, 1);
        }
      }
      for (int i = 0; i < amounts.length; i++) {
        System.arraycopy(table.values(i), from, block.longs(1 + keyColumns + i), 0, rows);
      }
      block.rows(rows);
      emitter.emit(block);
    }
  }

  @Override
  public StateSnapshot snapshot() {
    return state.snapshot();
  }

  @Override
  public void restore(int group, BlockInput in) {
    state.restore(in);
  }
}
