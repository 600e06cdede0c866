package io.millrace.cli.capture;

import io.millrace.cli.print.RowPrinter;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** Prints flow rows; the header is printed by {@link #begin} or before the first row. */
final class FlowRowPrinter {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final RowPrinter printer;
  private final String[] cells = new String[FlowColumn.ALL.size()];
  private boolean hasBegun;

  FlowRowPrinter(RowPrinter printer) {
    this.printer = printer;
  }

  void begin() {
    if (!hasBegun) {
      hasBegun = true;
      printer.header(FlowColumn.ALL.stream().map(FlowRowPrinter::column).toList());
    }
  }

  private static RowPrinter.Column column(FlowColumn column) {
    boolean isNumber =
        switch (column.type()) {
          case TIME, MOMENT, ADDRESS, MAC -> false;
          case U8, U16, U32, U64 -> true;
        };
    return new RowPrinter.Column(column.columnName(), isNumber);
  }

  void print(FlowBlock block) {
    List<FlowColumn> columns = FlowColumn.ALL;
    if (block.rows() > 0) {
      begin();
    }
    for (int row = 0; row < block.rows(); row++) {
      for (int i = 0; i < cells.length; i++) {
        cells[i] = cell(block, columns.get(i), row);
      }
      printer.row(cells);
    }
  }

  private static String cell(FlowBlock block, FlowColumn column, int row) {
    if (!block.has(column)) {
      return null;
    }
    return switch (column.type()) {
      case TIME, MOMENT -> time(block.longs(column)[row]);
      case MAC -> mac(block.longs(column)[row]);
      case ADDRESS -> address(block.addressHigh(column)[row], block.addressLow(column)[row]);
      case U64 -> {
        long value = block.longs(column)[row];
        yield value == FlowBlock.NULL ? null : Long.toString(value);
      }
      case U8, U16, U32 -> {
        int value = block.ints(column)[row];
        yield value == FlowBlock.NULL ? null : Integer.toUnsignedString(value);
      }
    };
  }

  private static String mac(long value) {
    return value == FlowBlock.NULL
        ? null
        : HexFormat.ofDelimiter(":")
            .formatHex(ByteBuffer.allocate(Long.BYTES).putLong(value).array(), 2, Long.BYTES);
  }

  static String time(long micros) {
    return micros == FlowBlock.NULL
        ? null
        : TIME.format(
            Instant.ofEpochSecond(
                Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000L));
  }

  private static String address(long high, long low) {
    return Addresses.isNull(high, low) ? null : Addresses.toText(high, low);
  }

  void end() {
    if (hasBegun) {
      printer.end();
    }
  }
}
