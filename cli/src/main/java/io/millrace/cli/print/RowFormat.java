package io.millrace.cli.print;

/** Output formats of rows. */
public enum RowFormat {
  /** Aligned columns, for people. */
  TABLE,
  /** One line per column, with a separator between rows: for rows wider than the terminal. */
  VERTICAL,
  /** Tab-separated with a header line; NULL is empty; tab, newline and backslash are escaped. */
  TSV,
  /** Comma-separated with a header line (RFC 4180); NULL is empty. */
  CSV,
  /** CSV for spreadsheets: with a byte order mark, and formulas escaped. */
  SPREADSHEET,
  /** One JSON object per line. */
  JSON;

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
