package io.millrace.lab.nexmark;

import io.millrace.wire.block.TableBlock;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Counts the results whose number is predictable: all, or for q19 the inserts. */
final class InsertCounter implements Consumer<TableBlock> {
  private final boolean onlyInserts;
  private final LongAdder count = new LongAdder();

  InsertCounter(NexmarkQuery query) {
    onlyInserts = query == NexmarkQuery.Q19;
  }

  long count() {
    return count.sum();
  }

  @Override
  public void accept(TableBlock results) {
    int rows = results.rows();
    int counted = rows;
    if (onlyInserts) {
      long[] changes = results.longs(0);
      counted = 0;
      for (int row = 0; row < rows; row++) {
        counted += changes[row] == TopBids.INSERT ? 1 : 0;
      }
    }
    count.add(counted);
  }
}
