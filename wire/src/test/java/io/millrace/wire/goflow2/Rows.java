package io.millrace.wire.goflow2;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.FlowColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Rows for tests, and rows as text. */
final class Rows {
  private Rows() {}

  /** Rows that a message can represent entirely: no zeros, except where 0 is the default. */
  static FlowBlock tellable(Random random, int rows) {
    FlowBlock block = new FlowBlock(rows);
    for (FlowColumn column : FlowColumn.ALL) {
      boolean own = FlowMessagesOnly.HAVE_NO_FIELD_OF_GOFLOW2.contains(column);
      if (own || (column.optional() && random.nextInt(4) == 0)) {
        if (!column.optional()) {
          fillNull(block, column, rows);
        }
        continue;
      }
      for (int row = 0; row < rows; row++) {
        set(random, block, column, row);
      }
    }
    for (int row = 0; row < rows; row++) {
      settle(block, row);
    }
    block.rows(rows);
    return block;
  }

  private static void fillNull(FlowBlock block, FlowColumn column, int rows) {
    for (int row = 0; row < rows; row++) {
      block.ints(column)[row] = FlowBlock.NULL;
    }
  }

  private static void set(Random random, FlowBlock block, FlowColumn column, int row) {
    boolean isNull = random.nextInt(5) == 0;
    switch (column.type()) {
      case TIME -> block.longs(column)[row] = 1 + random.nextLong(4_000_000_000_000_000L);
      case MOMENT ->
          block.longs(column)[row] = isNull ? -1 : 1 + random.nextLong(4_000_000_000_000_000L);
      case MAC -> block.longs(column)[row] = isNull ? -1 : 1 + random.nextLong((1L << 48) - 1);
      case U64 ->
          block.longs(column)[row] = isNull ? -1 : 1 + random.nextLong(FlowBounds.MAX_PACKETS);
      case U8 -> block.ints(column)[row] = isNull ? -1 : 1 + random.nextInt(255);
      case U16 -> block.ints(column)[row] = isNull ? -1 : 1 + random.nextInt(65_535);
      case U32 -> block.ints(column)[row] = isNull ? -1 : 1 + random.nextInt(1 << 20);
      case ADDRESS -> {
        boolean v4 = random.nextBoolean();
        isNull &= column != FlowColumn.SRC_ADDR;
        block.addressHigh(column)[row] = isNull ? -1 : v4 ? 0 : 0x2001_0DB8L << 32;
        block.addressLow(column)[row] =
            isNull ? -1 : v4 ? Addresses.v4Low(random.nextInt()) : random.nextLong();
      }
    }
  }

  /** Sets values that depend on other columns of the row. */
  private static void settle(FlowBlock block, int row) {
    int proto = block.ints(FlowColumn.PROTO)[row];
    if (proto == 1 || proto == 58) {
      block.ints(FlowColumn.SRC_PORT)[row] &= 255;
      block.ints(FlowColumn.DST_PORT)[row] &= 255;
    }
    int[] flags = block.ints(FlowColumn.TCP_FLAGS);
    flags[row] = proto == 6 ? flags[row] & 0xFFF : FlowBlock.NULL;
    block.ints(FlowColumn.TOS)[row] &= 255;
    int[] etherType = block.ints(FlowColumn.ETHER_TYPE);
    etherType[row] = etherType[row] == FlowBlock.NULL ? 0x0800 : etherType[row];
    int[] format = block.ints(FlowColumn.OUT_IF_FORMAT);
    format[row] = block.ints(FlowColumn.OUT_IF)[row] == FlowBlock.NULL ? FlowBlock.NULL : 0;
    if (block.has(FlowColumn.DIRECTION)) {
      int[] direction = block.ints(FlowColumn.DIRECTION);
      direction[row] = direction[row] == FlowBlock.NULL ? FlowBlock.NULL : 1;
    }
    block.ints(FlowColumn.SAMPLING_SOURCE)[row] =
        block.ints(FlowColumn.SAMPLING_RATE)[row] == FlowBlock.NULL ? FlowBlock.NULL : 1;
  }

  /** The non-null columns of each row, by name. */
  static List<Map<String, Object>> values(FlowBlock block) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int row = 0; row < block.rows(); row++) {
      Map<String, Object> values = new TreeMap<>();
      for (FlowColumn column : FlowColumn.ALL) {
        Object value = value(block, column, row);
        if (value != null) {
          values.put(column.columnName(), value);
        }
      }
      rows.add(values);
    }
    return rows;
  }

  private static Object value(FlowBlock block, FlowColumn column, int row) {
    if (!block.has(column)) {
      return null;
    }
    if (column.type() == FlowColumn.Type.ADDRESS) {
      String text = Addresses.toText(block.addressHigh(column)[row], block.addressLow(column)[row]);
      return text.isEmpty() ? null : text;
    }
    if (column.type().isInt()) {
      int value = block.ints(column)[row];
      return value == FlowBlock.NULL ? null : (Object) (value & 0xFFFF_FFFFL);
    }
    long value = block.longs(column)[row];
    return value == FlowBlock.NULL ? null : (Object) value;
  }
}
