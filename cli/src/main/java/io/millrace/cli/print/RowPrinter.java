package io.millrace.cli.print;

import java.io.PrintWriter;
import java.util.List;

/**
 * Prints the rows of one result: {@link #header} once, {@link #row} for each row, {@link #end}
 * once. A cell is a text, or null for NULL. Not thread-safe.
 */
public interface RowPrinter {
  /** A column of the result. */
  record Column(String name, boolean isNumber) {}

  /** Sets the columns. */
  void header(List<Column> columns);

  /** Prints a row with one cell for each column; the array may be reused afterwards. */
  void row(String[] cells);

  /** Prints buffered rows and flushes. */
  void end();

  /**
   * Creates a printer of aligned columns.
   *
   * @param firstWidth maximum characters of the first column; longer cells are cut
   */
  static RowPrinter ofTable(PrintWriter out, int firstWidth) {
    return new TablePrinter(out, firstWidth);
  }

  /** Creates a printer of the format. */
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
