package io.millrace.datasets.csv;

/** Fault of a line of a data set file. */
public enum LineFault {
  /** Quotes that do not match. */
  QUOTING("quoting"),
  /** Too many columns, or too few. */
  COLUMNS("columns"),
  /** Not an address or block of addresses. */
  ADDRESS("address"),
  /** Not a MAC address. */
  MAC("mac"),
  /** Not a number, or too large. */
  NUMBER("number"),
  /** Not UTF-8, missing, or too long. */
  TEXT("text"),
  /** A range whose start is greater than its end, or of two address families. */
  REVERSED("reversed"),
  /** A range that overlaps an earlier one; a duplicate key. */
  OVERLAPPING("overlapping");

  private final String label;

  LineFault(String label) {
    this.label = label;
  }

  /** Stable name for reports. */
  public String label() {
    return label;
  }
}
