package io.millrace.cli.print;

import java.io.PrintWriter;
import java.util.List;

final class CsvPrinter implements RowPrinter {
  private final PrintWriter out;

  CsvPrinter(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void header(List<Column> columns) {
    row(columns.stream().map(Column::name).toArray(String[]::new));
  }

  @Override
  public void row(String[] cells) {
    for (int i = 0; i < cells.length; i++) {
      if (i > 0) {
        out.print(',');
      }
      if (cells[i] != null) {
        out.print(quoted(cells[i]));
      }
    }
    out.print("\r\n");
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
