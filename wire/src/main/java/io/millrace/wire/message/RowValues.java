package io.millrace.wire.message;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.NewNames;
import java.util.Arrays;
import java.util.List;

/**
 * Values of a block's rows, by output column: the arrays of the block in the order of the message.
 * Columns that the block lacks are null in every row and are not created. Bound to one block after
 * the other; not thread-safe.
 */
public final class RowValues {
  private final List<OutputColumn> columns;
  private final int[][] ints;
  private final long[][] longs;
  private final long[][] low; // lower halves of addresses; the upper halves are in longs
  private final NewNames[] names;
  private int[] partition = {};
  private long[] offset = {};

  /** Values of these columns. */
  public RowValues(OutputColumns columns) {
    this.columns = columns.list();
    ints = new int[columns.size()][];
    longs = new long[columns.size()][];
    low = new long[columns.size()][];
    names = new NewNames[columns.size()];
  }

  /** Binds to a block. */
  public void bind(FlowBlock block, JoinedTexts texts) {
    int rows = block.rows();
    if (partition.length < rows) {
      partition = new int[block.capacity()];
      offset = new long[block.capacity()];
    }
    for (int c = 0; c < columns.size(); c++) {
      OutputColumn column = columns.get(c);
      FlowColumn flow = column.flow();
      if (flow != null) {
        boolean held = block.has(flow);
        boolean address = flow.type() == FlowColumn.Type.ADDRESS;
        ints[c] = held ? block.ints(flow) : null;
        longs[c] = held ? (address ? block.addressHigh(flow) : block.longs(flow)) : null;
        low[c] = held ? block.addressLow(flow) : null;
      } else if (column.kind() == OutputColumn.Kind.TEXT) {
        JoinedTexts.Column of = texts.column(column.joined());
        ints[c] = of.slots();
        names[c] = of.names();
      } else if (column.joined() >= 0) {
        ints[c] = block.joined().get(column.joined()).values();
      } else {
        place(column, c, block);
      }
    }
  }

  private void place(OutputColumn column, int c, FlowBlock block) {
    switch (column.name()) {
      case OutputColumn.LOG_INDEX -> ints[c] = block.logIndex();
      case OutputColumn.LOG_PARTITION -> {
        Arrays.fill(partition, 0, block.rows(), block.logPartition());
        ints[c] = partition;
      }
      default -> {
        Arrays.fill(offset, 0, block.rows(), block.logOffset());
        longs[c] = offset;
      }
    }
  }

  /** Whether the row's value is null. */
  public boolean isNull(int c, int row) {
    int[] i = ints[c];
    if (i != null) {
      return i[row] == FlowBlock.NULL;
    }
    long[] l = longs[c];
    return l == null
        || (l[row] == FlowBlock.NULL && (low[c] == null || low[c][row] == Addresses.NULL));
  }

  /** Value of a numeric column, not negative; for an address its upper half. */
  public long number(int c, int row) {
    int[] i = ints[c];
    return i != null ? i[row] & 0xFFFF_FFFFL : longs[c][row];
  }

  /** Lower half of an address. */
  public long low(int c, int row) {
    return low[c][row];
  }

  /** Bytes with the texts of the column. */
  public byte[] textBytes(int c) {
    return names[c].bytes();
  }

  /** Start of the row's text. */
  public int textStart(int c, int row) {
    return names[c].start(ints[c][row]);
  }

  /** Length of the row's text in bytes. */
  public int textLength(int c, int row) {
    return names[c].length(ints[c][row]);
  }
}
