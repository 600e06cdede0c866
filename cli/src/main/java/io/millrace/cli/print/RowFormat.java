package io.millrace.cli.print;

/** How rows are printed. */
public enum RowFormat {
  /** Aligned columns, for people. */
  TABLE,
  /** Tab-separated with a header line; NULL is empty; tab, newline and backslash are escaped. */
  TSV,
  /** Comma-separated with a header line (RFC 4180); NULL is empty. */
  CSV,
  /** One JSON object a line. */
  JSON;

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
