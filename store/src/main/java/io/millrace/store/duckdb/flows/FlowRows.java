package io.millrace.store.duckdb.flows;

import io.millrace.store.FlowSchema;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.offsets.RowArrivals;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.util.List;

/**
 * A block made ready for a {@link FlowLane}: which of its rows have which address family, and which
 * of its joined columns is which of the table's. Used by one thread, for one block after the other.
 */
final class FlowRows {
  private final String table;
  private final List<FlowSchema.AddedColumn> columns;
  private final JoinedColumn[] joined;
  private FlowBlock block;
  private int[] pickV4 = new int[0];
  private int[] pickOther = new int[0];
  private int countV4;
  private int countOther;

  FlowRows(String table, FlowSchema schema) {
    this.table = table;
    columns = schema.joined();
    joined = new JoinedColumn[columns.size()];
  }

  void take(FlowBlock block, long goneBefore) {
    this.block = block;
    matchColumns(block);
    split(block);
    if (goneBefore != Long.MIN_VALUE) {
      long[] time = block.longs(FlowColumn.TIME);
      countV4 = keep(pickV4, countV4, time, goneBefore);
      countOther = keep(pickOther, countOther, time, goneBefore);
    }
  }

  private static int keep(int[] pick, int count, long[] time, long goneBefore) {
    int n = 0;
    for (int i = 0; i < count; i++) {
      pick[n] = pick[i];
      n += time[pick[i]] >= goneBefore ? 1 : 0;
    }
    return n;
  }

  void report(RowArrivals arrivals) {
    if (countV4 + countOther > 0) {
      long[] time = block.longs(FlowColumn.TIME);
      long least = Math.min(least(time, pickV4, countV4), least(time, pickOther, countOther));
      arrivals.storing(block.logPartition(), block.logOffset(), least);
    }
  }

  private static long least(long[] time, int[] pick, int count) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      least = Math.min(least, time[pick[i]]);
    }
    return least;
  }

  int count(boolean isV4) {
    return isV4 ? countV4 : countOther;
  }

  int fill(FlowLane lane, boolean isV4, int from) {
    return lane.fill(isV4, block, joined, isV4 ? pickV4 : pickOther, from, count(isV4));
  }

  private void split(FlowBlock block) {
    int rows = block.rows();
    if (pickV4.length < rows) {
      pickV4 = new int[block.capacity()];
      pickOther = new int[block.capacity()];
    }
    long[] high = block.addressHigh(FlowColumn.SRC_ADDR);
    long[] low = block.addressLow(FlowColumn.SRC_ADDR);
    int[] first = pickV4;
    int[] second = pickOther;
    int n = 0;
    for (int i = 0; i < rows; i++) {
      first[n] = i;
      second[i - n] = i;
      n += Addresses.isV4(high[i], low[i]) ? 1 : 0;
    }
    countV4 = n;
    countOther = rows - n;
  }

  private void matchColumns(FlowBlock block) {
    List<JoinedColumn> there = block.joined();
    for (int i = 0; i < joined.length; i++) {
      joined[i] = null;
    }
    for (int k = 0; k < there.size(); k++) {
      JoinedColumn column = there.get(k);
      int at = place(column, k);
      if (at < 0) {
        throw new WrongSchemaException(
            "table " + table + " has no column " + column.name() + " of kind " + column.kind());
      }
      joined[at] = column;
    }
  }

  private int place(JoinedColumn column, int guess) {
    for (int i = 0; i < columns.size(); i++) {
      int at = (guess + i) % columns.size();
      if (columns.get(at).name().equals(column.name()) && columns.get(at).kind() == column.kind()) {
        return at;
      }
    }
    return -1;
  }
}
