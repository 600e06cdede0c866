package io.millrace.lab.endtoend;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.SplittableRandom;

/** Row count and sum per key, for a fixed number of keys that all exist from the start. */
final class RandomCounts implements KeyedAnalyzer<TableBlock, TableBlock> {
  static final String COUNTED = "counted";
  static final String RESTORED_KEYS = "restoredKeys";
  static final String RESTORED_COUNTS = "restoredCounts";

  /** Hash, key and two values. */
  static final int ENTRY_BYTES = Integer.BYTES + 3 * Long.BYTES;

  private static final TableSchema KEY = TableSchema.builder().number("key").build();

  private final int keys;
  private KeyTable table;
  private KeyGroups groups;
  private AnalyzerContext.Counter counted;
  private AnalyzerContext.Counter restoredKeys;
  private AnalyzerContext.Counter restoredCounts;

  RandomCounts(int keys) {
    this.keys = keys;
  }

  /** Random keys, with the block's number as the seed. */
  static TableBlock block(long number, int rows, int keys) {
    TableBlock block = new TableBlock(KEY, rows);
    long[] key = block.longs(0);
    SplittableRandom random = new SplittableRandom(number);
    for (int row = 0; row < rows; row++) {
      key[row] = random.nextInt(keys);
    }
    block.rows(rows);
    return block;
  }

  @Override
  public void open(AnalyzerContext context) {
    groups = context.keyGroups();
    table = new KeyTable(groups, 1, 2);
    counted = context.counter(COUNTED);
    restoredKeys = context.counter(RESTORED_KEYS);
    restoredCounts = context.counter(RESTORED_COUNTS);
  }

  @Override
  public void process(TableBlock block, Emitter<TableBlock> out) {
    if (table.size() == 0) {
      fill();
    }
    int rows = block.rows();
    long[] key = block.longs(0);
    long[] counts = table.values(0);
    long[] sums = table.values(1);
    for (int row = 0; row < rows; row++) {
      int entry = table.find(Hash.of(key[row]), key[row]);
      counts[entry]++;
      sums[entry] += key[row];
    }
    counted.add(rows);
  }

  private void fill() {
    for (long key = 0; key < keys; key++) {
      int hash = Hash.of(key);
      if (groups.holds(hash)) {
        table.entry(hash, key);
      }
    }
  }

  @Override
  public StateSnapshot snapshot() {
    return table.snapshot();
  }

  @Override
  public void restore(int group, BlockInput in) {
    int before = table.size();
    table.restore(in);
    for (int entry = before; entry < table.size(); entry++) {
      restoredCounts.add(table.values(0)[entry]);
    }
    restoredKeys.add(table.size() - before); // last: whoever waits for the keys has the counts
  }
}
