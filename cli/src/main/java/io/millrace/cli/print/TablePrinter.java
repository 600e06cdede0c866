package io.millrace.cli.print;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Prints aligned columns. Buffers the first rows to determine column widths; a longer later cell
 * shifts the rest of its line.
 */
final class TablePrinter implements RowPrinter {
  private static final int ROWS_MEASURED = 1_000;
  static final int MAX_WIDTH = 60;

  private final PrintWriter out;
  private final int firstWidth;
  private final List<String[]> held = new ArrayList<>();
  private List<Column> columns = List.of();
  private int[] widths;

  TablePrinter(PrintWriter out) {
    this(out, MAX_WIDTH);
  }

  TablePrinter(PrintWriter out, int firstWidth) {
    this.out = out;
    this.firstWidth = firstWidth;
  }

  @Override
  public void header(List<Column> columns) {
    this.columns = columns;
  }

  @Override
  public void row(String[] cells) {
    if (widths != null) {
      print(cells);
    } else {
      held.add(cells.clone());
      if (held.size() == ROWS_MEASURED) {
        release();
      }
    }
  }

  private void release() {
    widths = columns.stream().mapToInt(column -> column.name().length()).toArray();
    for (String[] row : held) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], Math.min(max(i), text(row[i]).length()));
      }
    }
    print(columns.stream().map(Column::name).toArray(String[]::new));
    print(Arrays.stream(widths).mapToObj("─"::repeat).toArray(String[]::new));
    held.forEach(this::print);
    held.clear();
  }

  private void print(String[] cells) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      String cell = text(cells[i]);
      if (cell.length() > max(i)) {
        cell = cell.substring(0, wholeCharacters(cell, max(i) - 1)) + "…";
      }
      String padding = " ".repeat(Math.max(0, widths[i] - cell.length()));
      line.append(i == 0 ? "" : "  ");
      line.append(columns.get(i).isNumber() ? padding + cell : cell + padding);
    }
    out.print(line.toString().stripTrailing());
    out.print('\n');
  }

  private int max(int column) {
    return column == 0 ? firstWidth : MAX_WIDTH;
  }

  /** Shortens a length by one if it would split a surrogate pair. */
  private static int wholeCharacters(String cell, int length) {
    return Character.isHighSurrogate(cell.charAt(length - 1)) ? length - 1 : length;
  }

  private static String text(String cell) {
    return cell == null ? "" : cell.replace('\n', ' ').replace('\t', ' ').replace('\r', ' ');
  }

  @Override
  public void end() {
    if (widths == null) {
      release();
    }
    out.flush();
  }
}
