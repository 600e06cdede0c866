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
import java.util.stream.LongStream;

/**
 * A table of flow records and sampled packets with values at the ends of their ranges, and NULL.
 */
final class TrinoRecords {
  static final String TABLE = "records";

  /** A table with rows of two days, so that those of the first are over. */
  static final String DAYS = "days";

  static final long START_MICROS = 1_700_000_000_000_000L;
  private static final long DAY_MICROS = 86_400_000_000L;
  private static final long BLOCK_MICROS = 40_000_000L;
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
    write(store, TABLE, LongStream.range(0, BLOCKS).map(i -> START_MICROS + i * BLOCK_MICROS));
  }

  /** Makes the table {@link #DAYS}. */
  static void writeDays(Store store) throws IOException {
    write(store, DAYS, LongStream.of(START_MICROS, START_MICROS + 2 * DAY_MICROS));
  }

  /** Tables of rollups that have the first of the two days, one of each grain. */
  static List<String> rollups() {
    return List.of(DAYS + "_minute_src", DAYS + "_five_interface", DAYS + "_hour_port");
  }

  /** SELECT of the sums of the first day by bucket, and by numbers that the set has. */
  static String sumsOfTheFirstDay(String rollups) {
    String groups = rollups.endsWith("_port") ? "bucket, dst_port, proto" : "bucket";
    return "SELECT %s, %s GROUP BY %1$s ORDER BY %1$s".formatted(groups, sums(rollups));
  }

  /** SELECT of one row with the sums of the first day. */
  static String totalsOfTheFirstDay(String rollups) {
    return "SELECT min(bucket), max(bucket), " + sums(rollups);
  }

  private static String sums(String rollups) {
    return "sum(\"rows\"), sum(packets), sum(bytes), sum(scaled_packets), sum(scaled_bytes) FROM "
        + rollups
        + " WHERE bucket < TIMESTAMP '2023-11-15 00:00:00'";
  }

  private static void write(Store store, String name, LongStream startMicros) throws IOException {
    FlowTable table = store.table(name, new FlowSchema(List.of()));
    TrinoRecords records = new TrinoRecords();
    long[] starts = startMicros.toArray();
    try (FlowWriter writer = table.writer()) {
      for (int offset = 0; offset < starts.length; offset++) {
        writer.append(records.block(offset, starts[offset]));
        Frontier covered = new Frontier(Map.of(0, offset + 1L));
        writer.seal(offset + 1L, covered);
        writer.sync();
        writer.commit(offset + 1L, covered);
      }
    }
  }

  private FlowBlock block(int offset, long startMicros) {
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
      long time = startMicros + row * 100_000L;
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
