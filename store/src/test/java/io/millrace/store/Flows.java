package io.millrace.store;

import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.JoinedColumn.Kind;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Blocks of flows for tests, with predictable rows. */
public final class Flows {
  public static final long BASE = 7L << 40;

  public static final FlowSchema SCHEMA =
      new FlowSchema(
          List.of(
              new FlowSchema.AddedColumn("src_as", Kind.NUMBER),
              new FlowSchema.AddedColumn("src_as_name", Kind.TEXT),
              new FlowSchema.AddedColumn("dst_as", Kind.NUMBER),
              new FlowSchema.AddedColumn("dst_as_name", Kind.TEXT),
              new FlowSchema.AddedColumn("src_dns", Kind.TEXT),
              new FlowSchema.AddedColumn("dst_dns", Kind.TEXT)));

  private Flows() {}

  /** A block without joined columns: IPv4 rows, every tenth IPv6, every third without ports. */
  public static FlowBlock bare(int rows, int partition, long offset) {
    FlowBlock block = new FlowBlock(Math.max(rows, 1));
    block.logPosition(partition, offset);
    for (FlowColumn column : FlowColumn.ALL) {
      if (column.optional()) {
        continue;
      }
      switch (column.type()) {
        case TIME, U64 -> Arrays.fill(block.longs(column), FlowBlock.NULL);
        case ADDRESS -> {
          Arrays.fill(block.addressHigh(column), Addresses.NULL);
          Arrays.fill(block.addressLow(column), Addresses.NULL);
        }
        default -> Arrays.fill(block.ints(column), FlowBlock.NULL);
      }
    }
    for (int i = 0; i < rows; i++) {
      block.longs(FlowColumn.TIME)[i] = 1_700_000_000_000_000L + offset * 1000 + i;
      address(block, FlowColumn.EXPORTER, i, false, 0x0A000001);
      address(block, FlowColumn.SRC_ADDR, i, i % 10 == 9, 0xC0000200 + i % 200);
      address(block, FlowColumn.DST_ADDR, i, i % 10 == 9, 0xC6336400 + i % 100);
      block.ints(FlowColumn.PROTO)[i] = 6;
      if (i % 3 != 0) {
        block.ints(FlowColumn.SRC_PORT)[i] = 443;
        block.ints(FlowColumn.DST_PORT)[i] = 40_000 + i;
      }
      block.longs(FlowColumn.BYTES)[i] = 100L + i;
      block.longs(FlowColumn.PACKETS)[i] = 1;
      block.ints(FlowColumn.SAMPLING_RATE)[i] = 1000;
      block.logIndex()[i] = i;
    }
    block.rows(rows);
    return block;
  }

  /** A new store with 40 rows. */
  public static DuckDbStore store(Path directory) {
    DuckDbStore store = new DuckDbStore(directory, StoreConfig.defaults());
    try (FlowWriter writer = store.table(Store.FLOWS, SCHEMA).writer()) {
      writer.append(joined(40, 0, 1));
      writer.flush();
    }
    return store;
  }

  /** As {@link #bare}, with AS and DNS columns of {@link #SCHEMA}; every fourth row unknown. */
  public static FlowBlock joined(int rows, int partition, long offset) {
    FlowBlock block = bare(rows, partition, offset);
    int[] numbers = new int[rows];
    int[] ordinals = new int[rows];
    for (int i = 0; i < rows; i++) {
      numbers[i] = i % 4 == 3 ? FlowBlock.NULL : 64_500 + i % 4;
      ordinals[i] = i % 4 == 3 ? FlowBlock.NULL : i % 4;
    }
    for (FlowSchema.AddedColumn column : SCHEMA.joined()) {
      block
          .joined()
          .add(
              column.kind() == Kind.NUMBER
                  ? new JoinedColumn(column.name(), Kind.NUMBER, 0, numbers.clone())
                  : new JoinedColumn(
                      column.name(), Kind.TEXT, base(column.name()), ordinals.clone()));
    }
    for (int i = 0; i < 3; i++) {
      name(block, base("src_as_name") + i, "Network " + i + ", Inc.");
      name(block, base("src_dns") + i, "host" + i + ".example.net");
    }
    return block;
  }

  private static long base(String column) {
    return column.endsWith("dns") ? BASE + (1L << 32) : BASE;
  }

  public static void name(FlowBlock block, long id, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    block.names().add(id, bytes, 0, bytes.length);
  }

  private static void address(FlowBlock block, FlowColumn column, int row, boolean v6, int v4) {
    block.addressHigh(column)[row] = v6 ? 0x2001_0DB8_0000_0000L : 0;
    block.addressLow(column)[row] = v6 ? v4 & 0xFF : Addresses.v4Low(v4);
  }

  /** Joined rows of flow records: every column of records in every second row. */
  public static FlowBlock records(int rows, int partition, long offset) {
    FlowBlock block = joined(rows, partition, offset);
    for (int i = 0; i < rows; i += 2) {
      block.longs(FlowColumn.FLOW_START)[i] = 1_700_000_000_000_000L + i;
      block.longs(FlowColumn.SRC_MAC)[i] = 0x00_0C_29_AB_CD_00L + i;
      block.ints(FlowColumn.SRC_MASK)[i] = 24;
      address(block, FlowColumn.NAT_SRC_ADDR, i, false, 0xC0000201);
    }
    return block;
  }
}
