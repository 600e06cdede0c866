package io.millrace.cli.print;

/** How rows are printed. */
public enum RowFormat {
  /** Aligned columns, for people. */
  TABLE,
  /** A line each column, with a line between rows: for rows that are wider than the terminal. */
  VERTICAL,
  /** Tab-separated with a header line; NULL is empty; tab, newline and backslash are escaped. */
  TSV,
  /** Comma-separated with a header line (RFC 4180); NULL is empty. */
  CSV,
  /** The same for spreadsheets: with a byte order mark, and no text that they would compute. */
  SPREADSHEET,
  /** One JSON object a line. */
  JSON;

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
