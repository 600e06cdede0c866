package io.millrace.cli.capture;

import io.millrace.cli.print.RowPrinter;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;

final class TableRowPrinter {
  private final TableSchema schema;
  private final RowPrinter printer;
  private final String[] cells;
  private boolean hasBegun;

  TableRowPrinter(TableSchema schema, RowPrinter printer) {
    this.schema = schema;
    this.printer = printer;
    cells = new String[schema.size()];
  }

  void begin() {
    if (!hasBegun) {
      hasBegun = true;
      printer.header(
          schema.columns().stream()
              .map(each -> new RowPrinter.Column(each.name(), each.type() == TableSchema.Type.LONG))
              .toList());
    }
  }

  void print(TableBlock block) {
    if (block.rows() > 0) {
      begin();
    }
    for (int row = 0; row < block.rows(); row++) {
      for (int i = 0; i < cells.length; i++) {
        cells[i] =
            schema.type(i) == TableSchema.Type.TIME
                ? FlowRowPrinter.time(block.longs(i)[row])
                : block.text(row, i);
      }
      printer.row(cells);
    }
  }

  void end() {
    if (hasBegun) {
      printer.end();
    }
  }
}
