package io.millrace.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Rows as aligned text columns; numbers to the right. Collects all rows first. */
final class TextTable {
  private static final int MAX_CELL = 60;

  private final List<String> header;
  private final boolean[] numeric;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * A table without rows.
   *
   * @param header column names
   * @param numeric for each column whether it holds numbers
   */
  TextTable(List<String> header, boolean[] numeric) {
    this.header = header;
    this.numeric = numeric.clone();
  }

  /** Adds a row with as many cells as there are columns. */
  void add(List<String> cells) {
    rows.add(cells);
  }

  /** Prints the header, a rule and the rows. */
  void print(PrintWriter out) {
    int[] widths = new int[header.size()];
    measure(header, widths);
    rows.forEach(row -> measure(row, widths));
    printLine(header, widths, out);
    StringBuilder rule = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      rule.append(i == 0 ? "" : "  ").append("─".repeat(widths[i]));
    }
    out.println(rule);
    rows.forEach(row -> printLine(row, widths, out));
  }

  private static void measure(List<String> cells, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], Math.min(MAX_CELL, cells.get(i).length()));
    }
  }

  private void printLine(List<String> cells, int[] widths, PrintWriter out) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = cells.get(i);
      if (cell.length() > MAX_CELL) {
        cell = cell.substring(0, MAX_CELL - 1) + "…";
      }
      String padding = " ".repeat(widths[i] - cell.length());
      line.append(i == 0 ? "" : "  ");
      line.append(numeric[i] ? padding + cell : cell + padding);
    }
    out.println(line.toString().stripTrailing());
  }
}
