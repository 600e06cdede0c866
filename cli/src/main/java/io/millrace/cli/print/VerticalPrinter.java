package io.millrace.cli.print;

import java.io.PrintWriter;
import java.util.List;

final class VerticalPrinter implements RowPrinter {
  private final PrintWriter out;
  private List<Column> columns = List.of();
  private int width;
  private long rows;

  VerticalPrinter(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void header(List<Column> columns) {
    this.columns = columns;
    width = columns.stream().mapToInt(column -> column.name().length()).max().orElse(0);
  }

  @Override
  public void row(String[] cells) {
    out.print("─── row " + ++rows + '\n');
    for (int i = 0; i < cells.length; i++) {
      String name = columns.get(i).name();
      String cell = cells[i] == null ? "" : cells[i];
      String line = name + " ".repeat(width - name.length() + 2) + cell.replace('\n', ' ');
      out.print(line.stripTrailing() + '\n');
    }
  }

  @Override
  public void end() {
    out.flush();
  }
}
