package io.millrace.wire.message;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Two rows for tests of encoders, one with all columns and one with few. */
public final class Joins {
  /** Columns joined to the rows. */
  public static final List<OutputColumns.AddedColumn> JOINED =
      List.of(
          new OutputColumns.AddedColumn("src_as", JoinedColumn.Kind.NUMBER),
          new OutputColumns.AddedColumn("src_dns", JoinedColumn.Kind.TEXT));

  /** Name in the first row: has characters that JSON escapes, and a letter of two bytes. */
  public static final String NAME = "a\"b\\c\u0001\u00fc.example";

  private Joins() {}

  /** The rows. */
  public static FlowBlock block() {
    FlowBlock block = new FlowBlock(2);
    block.logPosition(3, 1L << 33);
    for (FlowColumn column : FlowColumn.ALL) {
      if (!column.optional()) {
        for (int row = 0; row < 2; row++) {
          switch (column.type()) {
            case ADDRESS -> {
              block.addressHigh(column)[row] = Addresses.NULL;
              block.addressLow(column)[row] = Addresses.NULL;
            }
            case TIME, MOMENT, MAC, U64 -> block.longs(column)[row] = FlowBlock.NULL;
            case U8, U16, U32 -> block.ints(column)[row] = FlowBlock.NULL;
          }
        }
      }
    }
    block.longs(FlowColumn.TIME)[0] = 1_700_000_000_000_001L;
    block.longs(FlowColumn.TIME)[1] = 2;
    block.addressHigh(FlowColumn.SRC_ADDR)[0] = 0;
    block.addressLow(FlowColumn.SRC_ADDR)[0] = Addresses.v4Low(0xC0000201);
    block.addressHigh(FlowColumn.DST_ADDR)[0] = 0x2001_0DB8L << 32;
    block.addressLow(FlowColumn.DST_ADDR)[0] = 1;
    block.ints(FlowColumn.SRC_PORT)[0] = 0;
    block.longs(FlowColumn.BYTES)[0] = 1L << 40;
    block.longs(FlowColumn.SRC_MAC)[0] = 0x0A0B0C0D0E0FL;
    block.joined().add(new JoinedColumn("src_as", JoinedColumn.Kind.NUMBER, 0, new int[] {-2, -1}));
    block.joined().add(new JoinedColumn("src_dns", JoinedColumn.Kind.TEXT, 9, new int[] {7, -1}));
    block.logIndex()[1] = 1;
    block.rows(2);
    return block;
  }

  /** Their texts. */
  public static JoinedTexts texts() {
    JoinedTexts texts = new JoinedTexts();
    JoinedTexts.Column column = texts.column(1);
    column.clear(2);
    byte[] name = NAME.getBytes(StandardCharsets.UTF_8);
    column.names().add(0, name, 0, name.length);
    column.slots()[0] = 0;
    column.slots()[1] = JoinedTexts.NONE;
    return texts;
  }
}
