package io.millrace.cli.print;

import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;

final class TsvPrinter implements RowPrinter {
  private final PrintWriter out;

  TsvPrinter(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void header(List<Column> columns) {
    out.print(columns.stream().map(Column::name).collect(Collectors.joining("\t")));
    out.print('\n');
  }

  @Override
  public void row(String[] cells) {
    for (int i = 0; i < cells.length; i++) {
      if (i > 0) {
        out.print('\t');
      }
      if (cells[i] != null) {
        escape(cells[i]);
      }
    }
    out.print('\n');
  }

  private void escape(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '\t' -> out.print("\\t");
        case '\n' -> out.print("\\n");
        case '\r' -> out.print("\\r");
        case '\\' -> out.print("\\\\");
        default -> out.print(c);
      }
    }
  }

  @Override
  public void end() {
    out.flush();
  }
}
