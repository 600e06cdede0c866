package io.millrace.cli.print;

import java.io.PrintWriter;
import java.util.List;

final class CsvPrinter implements RowPrinter {
  /** Characters that start a formula in a spreadsheet. */
  private static final String FORMULA = "=+-@\t\r";

  private final PrintWriter out;
  private final boolean forSpreadsheets;
  private List<Column> columns = List.of();

  /**
   * For spreadsheets, output starts with a byte order mark, by which they detect UTF-8, and an
   * apostrophe escapes formulas.
   */
  CsvPrinter(PrintWriter out, boolean forSpreadsheets) {
    this.out = out;
    this.forSpreadsheets = forSpreadsheets;
  }

  @Override
  public void header(List<Column> columns) {
    if (forSpreadsheets) {
      out.print('\uFEFF');
    }
    row(columns.stream().map(Column::name).toArray(String[]::new));
    this.columns = columns;
  }

  @Override
  public void row(String[] cells) {
    for (int i = 0; i < cells.length; i++) {
      if (i > 0) {
        out.print(',');
      }
      if (cells[i] != null) {
        boolean isNumber = i < columns.size() && columns.get(i).isNumber();
        out.print(quoted(forSpreadsheets && !isNumber ? harmless(cells[i]) : cells[i]));
      }
    }
    out.print("\r\n");
  }

  private static String harmless(String text) {
    return !text.isEmpty() && FORMULA.indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
  }

  private static String quoted(String text) {
    boolean plain = !text.isEmpty();
    for (int i = 0; plain && i < text.length(); i++) {
      plain = "\",\r\n".indexOf(text.charAt(i)) < 0;
    }
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  @Override
  public void end() {
    out.flush();
  }
}
