package io.millrace.analytics.reduce;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.TableBlock;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Combiner of several analyzers' rows with the same window and key. Rows wait until the watermark
 * has passed their window at all inputs, and are emitted as one row of the same layout, so
 * combiners can be stacked in layers. An upstream combiner emits all waiting rows when it becomes
 * {@linkplain #idle idle}, since downstream ones do not wait for it. The last one does not, and may
 * emit only the greatest rows of each window. An upstream one must emit all rows, since a key that
 * is small in each part may be large in total.
 *
 * <p>Its rows are not partitioned by key: the state of a subtask is one entry. After a restart with
 * fewer subtasks, each restores several entries, with equal sums.
 */
public final class Combiner implements Analyzer<TableBlock, TableBlock>, PartitionedState {
  private static final int BLOCK_ROWS = 4_096;

  private final CombinedRows shape;
  private final boolean isLast;

  private final int max;

  private final int by;

  private KeyTable waiting;
  private long[] key;
  private int index;
  private int count;

  private Combiner(CombinedRows shape, boolean isLast, int max, int by) {
    this.shape = shape;
    this.isLast = isLast;
    this.max = max;
    this.by = by;
  }

  /** A combiner that emits all rows, to be combined downstream. */
  public static Combiner of(CombinedRows shape) {
    return new Combiner(shape, false, Integer.MAX_VALUE, 0);
  }

  /** A combiner that emits all rows, each window and key once. */
  public static Combiner last(CombinedRows shape) {
    return new Combiner(shape, true, Integer.MAX_VALUE, 0);
  }

  /**
   * A combiner that emits the greatest rows of each window, in descending order; among equal ones,
   * those of the lesser keys.
   *
   * @param max maximum number of rows per window
   * @param column one of the sums
   */
  public static Combiner greatest(CombinedRows shape, int max, String column) {
    int by = shape.sums().indexOf(column);
    if (max < 1) {
      throw new IllegalArgumentException("maximum of %d rows, expected at least 1".formatted(max));
    }
    if (by < 0) {
      throw new IllegalArgumentException(
          "column '%s' is not a sum, expected one of %s".formatted(column, shape.sums()));
    }
    return new Combiner(shape, true, max, by);
  }

  @Override
  public void open(AnalyzerContext context) {
    waiting = new KeyTable(KeyGroups.all(), shape.keyLongs(), shape.sums().size());
    key = new long[shape.keyLongs()];
    index = context.index();
    count = context.count();
  }

  @Override
  public void process(TableBlock block, Emitter<TableBlock> out) {
    add(block);
  }

  private void add(TableBlock block) {
    long[][] keys = shape.keyColumns(block);
    long[][] sums = shape.sumColumns(block);
    int rows = block.rows();
    for (int row = 0; row < rows; row++) {
      int hash = 0;
      for (int part = 0; part < key.length; part++) {
        key[part] = keys[part][row];
        hash = Hash.of(hash, key[part]);
      }
      int entry = waiting.entry(hash, key);
      for (int i = 0; i < sums.length; i++) {
        waiting.values(i)[entry] += sums[i][row];
      }
    }
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    int[] due = due(micros);
    int[] given = max == Integer.MAX_VALUE ? due : greatest(due);
    for (int from = 0; from < given.length; from += BLOCK_ROWS) {
      out.emit(rows(Arrays.copyOfRange(given, from, Math.min(from + BLOCK_ROWS, given.length))));
    }
    for (int i = due.length - 1; i >= 0; i--) {
      waiting.remove(due[i]);
    }
  }

  @Override
  public void idle(Emitter<TableBlock> out) {
    if (!isLast) {
      watermark(Long.MAX_VALUE, out);
    }
  }

  private int[] due(long micros) {
    int[] due = new int[waiting.size()];
    int found = 0;
    for (int entry = 0; entry < due.length; entry++) {
      long end = waiting.key(entry, 0);
      if (end <= micros || end - 1 == micros) {
        due[found++] = entry;
      }
    }
    return Arrays.copyOf(due, found);
  }

  private int[] greatest(int[] due) {
    int[] sorted =
        Arrays.stream(due).boxed().sorted(this::compare).mapToInt(Integer::intValue).toArray();
    int[] chosen = new int[sorted.length];
    int found = 0;
    int rank = 0;
    for (int i = 0; i < sorted.length; i++) {
      boolean sameWindow = i > 0 && waiting.key(sorted[i], 0) == waiting.key(sorted[i - 1], 0);
      rank = sameWindow ? rank + 1 : 0;
      if (rank < max) {
        chosen[found++] = sorted[i];
      }
    }
    return Arrays.copyOf(chosen, found);
  }

  /** Orders rows by window, then by descending value, then by key. */
  private int compare(int a, int b) {
    int order = Long.compare(waiting.key(a, 0), waiting.key(b, 0));
    if (order == 0) {
      order = Long.compare(waiting.values(by)[b], waiting.values(by)[a]);
    }
    for (int part = 1; order == 0 && part < key.length; part++) {
      order = Long.compare(waiting.key(a, part), waiting.key(b, part));
    }
    return order;
  }

  private TableBlock rows(int[] entries) {
    TableBlock block = new TableBlock(shape.schema(), entries.length);
    long[][] keys = shape.keyColumns(block);
    long[][] sums = shape.sumColumns(block);
    for (int row = 0; row < entries.length; row++) {
      for (int part = 0; part < keys.length; part++) {
        keys[part][row] = waiting.key(entries[row], part);
      }
      for (int i = 0; i < sums.length; i++) {
        sums[i][row] = waiting.values(i)[entries[row]];
      }
    }
    block.rows(entries.length);
    return block;
  }

  /** Writes the waiting rows as a block. */
  @Override
  public void snapshot(StateWriter out) throws Exception {
    if (waiting.size() > 0) {
      BlockBuffer bytes = new BlockBuffer(1 << 10);
      BlockCodec.encode(rows(IntStream.range(0, waiting.size()).toArray()), bytes);
      out.put(index, 0, bytes.toBytes());
    }
  }

  /** Each entry is restored by one subtask, at any parallelism. */
  @Override
  public void restore(int piece, long version, byte[] state) {
    if (piece % count == index) {
      add((TableBlock) BlockCodec.decode(state, 0, state.length));
    }
  }
}
