package io.millrace.cli.print;

import java.io.PrintWriter;
import java.util.List;

final class JsonPrinter implements RowPrinter {
  private final PrintWriter out;
  private List<Column> columns = List.of();

  JsonPrinter(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void header(List<Column> columns) {
    this.columns = columns;
  }

  @Override
  public void row(String[] cells) {
    out.print('{');
    for (int i = 0; i < cells.length; i++) {
      Column column = columns.get(i);
      out.print(i == 0 ? "" : ",");
      quote(column.name());
      out.print(':');
      if (cells[i] == null) {
        out.print("null");
      } else if (column.isNumber() && isJsonNumber(cells[i])) {
        out.print(cells[i]);
      } else {
        quote(cells[i]);
      }
    }
    out.print("}\n");
  }

  /** Whether a number exists in JSON: inf and nan of SQL do not. */
  private static boolean isJsonNumber(String text) {
    char last = text.charAt(text.length() - 1);
    return last >= '0' && last <= '9' && text.indexOf('_') < 0;
  }

  private void quote(String text) {
    out.print('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.print('\\');
        out.print(c);
      } else if (c < ' ') {
        out.print(String.format("\\u%04x", (int) c));
      } else {
        out.print(c);
      }
    }
    out.print('"');
  }

  @Override
  public void end() {
    out.flush();
  }
}
