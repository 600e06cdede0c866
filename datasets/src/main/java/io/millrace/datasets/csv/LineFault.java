package io.millrace.datasets.csv;

/** Fault of a line of a data set file. */
public enum LineFault {
  /** Unmatched quotes. */
  QUOTING("quoting"),
  /** Too many or too few columns. */
  COLUMNS("columns"),
  /** Not an address or block of addresses. */
  ADDRESS("address"),
  /** Not a MAC address. */
  MAC("mac"),
  /** Not a number, or too large. */
  NUMBER("number"),
  /** Not UTF-8, missing, or too long. */
  TEXT("text"),
  /** A range whose start is greater than its end, or that mixes address families. */
  REVERSED("reversed"),
  /** A range that overlaps an earlier one, or a duplicate key. */
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
