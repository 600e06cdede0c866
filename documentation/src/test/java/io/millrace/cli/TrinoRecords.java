package io.millrace.cli;

import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Store;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A table of flow records and sampled packets with values at the ends of their ranges, and NULL.
 */
final class TrinoRecords {
  static final String TABLE = "records";
  static final long START_MICROS = 1_700_000_000_000_000L;
  private static final int ROWS = 400;
  private static final int BLOCKS = 6;
  private static final long[][] ADDRESSES = {
    {0, Addresses.v4Low(0xC0000201)},
    {0, Addresses.v4Low(0xC00002FE)},
    {0, Addresses.v4Low(0x0A000001)},
    {0, Addresses.v4Low(0xFFFFFFFF)},
    {0, 1},
    {0x2001_0DB8_0000_0000L, 1},
    {0x2001_0DB8_0000_0000L, 0xFFFF_FFFF_FFFF_FFFEL},
    {0x7FFF_FFFF_FFFF_FFFFL, 0x8000_0000_0000_0000L},
    {0x8000_0000_0000_0000L, 0},
    {0xFE80_0000_0000_0000L, 0x0200_00FF_FE00_0001L},
    {0xFF02_0000_0000_0000L, 0xFBL},
  };

  private final Random random = new Random(20);

  private TrinoRecords() {}

  /** Makes it, all of it in snapshots. */
  static void write(Store store) throws IOException {
    FlowTable table = store.table(TABLE, new FlowSchema(List.of()));
    TrinoRecords records = new TrinoRecords();
    try (FlowWriter writer = table.writer()) {
      for (int offset = 0; offset < BLOCKS; offset++) {
        writer.append(records.block(offset));
        Frontier covered = new Frontier(Map.of(0, offset + 1L));
        writer.seal(offset + 1L, covered);
        writer.sync();
        writer.commit(offset + 1L, covered);
      }
    }
  }

  private FlowBlock block(int offset) {
    FlowBlock block = new FlowBlock(ROWS);
    for (int row = 0; row < ROWS; row++) {
      for (FlowColumn column : FlowColumn.ALL) {
        boolean isNull = random.nextInt(5) == 0;
        if (column.type().isInt()) {
          block.ints(column)[row] = isNull ? FlowBlock.NULL : random.nextInt(8);
        } else if (column.type().isLong()) {
          block.longs(column)[row] = isNull ? FlowBlock.NULL : random.nextInt(2_000);
        } else {
          long[] address = ADDRESSES[random.nextInt(ADDRESSES.length)];
          block.addressHigh(column)[row] = isNull ? Addresses.NULL : address[0];
          block.addressLow(column)[row] = isNull ? Addresses.NULL : address[1];
        }
      }
      long time = START_MICROS + offset * 40_000_000L + row * 100_000L;
      block.longs(FlowColumn.TIME)[row] = time;
      boolean isRecord = random.nextInt(3) > 0;
      long end = time - random.nextInt(20_000_000);
      block.longs(FlowColumn.FLOW_END)[row] = isRecord ? end : FlowBlock.NULL;
      block.longs(FlowColumn.FLOW_START)[row] =
          isRecord ? end - random.nextInt(60_000_000) : FlowBlock.NULL;
      block.longs(FlowColumn.BYTES)[row] = 1L + random.nextInt(100_000);
      block.longs(FlowColumn.PACKETS)[row] = 1L + random.nextInt(100);
      block.ints(FlowColumn.SAMPLING_RATE)[row] = 1 + random.nextInt(3);
      block.logIndex()[row] = row;
    }
    block.logPosition(0, offset);
    block.rows(ROWS);
    return block;
  }
}
