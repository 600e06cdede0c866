package io.millrace.cli.print;

import java.io.PrintWriter;
import java.util.List;

/**
 * Prints rows in one of the formats that every command offers. A printer is used for one result:
 * {@link #header} once, {@link #row} for each row, {@link #end} once. A cell is its text, or null
 * for NULL. Not thread-safe.
 */
public interface RowPrinter {
  /** A column of the result. */
  record Column(String name, boolean isNumber) {}

  /** Says which columns there are. */
  void header(List<Column> columns);

  /** Prints a row with as many cells as there are columns; the array may be reused afterwards. */
  void row(String[] cells);

  /** Prints what is still held back, and flushes. */
  void end();

  /**
   * A printer of aligned columns.
   *
   * @param firstWidth characters of the first column, at most; longer cells are cut
   */
  static RowPrinter ofTable(PrintWriter out, int firstWidth) {
    return new TablePrinter(out, firstWidth);
  }

  /** A printer of the format. */
  static RowPrinter of(RowFormat format, PrintWriter out) {
    return switch (format) {
      case TABLE -> new TablePrinter(out);
      case TSV -> new TsvPrinter(out);
      case VERTICAL -> new VerticalPrinter(out);
      case CSV -> new CsvPrinter(out, false);
      case SPREADSHEET -> new CsvPrinter(out, true);
      case JSON -> new JsonPrinter(out);
    };
  }
}
