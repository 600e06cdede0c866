package io.millrace.datasets.csv;

/** What can be wrong with a line of a data set's file. */
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
  /** A range whose last address is before its first, or of the other family. */
  REVERSED("reversed"),
  /** A range that has addresses in common with one that starts before it; a key that is there. */
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
