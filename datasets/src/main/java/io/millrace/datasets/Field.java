package io.millrace.datasets;

import io.millrace.wire.block.JoinedColumn;

/**
 * A field of the records of a data set.
 *
 * @param name lower case with underscores; a joined column is a prefix and this name
 * @param kind numbers or texts
 */
public record Field(String name, JoinedColumn.Kind kind) {
  /** A field of unsigned 32-bit numbers. */
  public static Field number(String name) {
    return new Field(name, JoinedColumn.Kind.NUMBER);
  }

  /** A text field. */
  public static Field text(String name) {
    return new Field(name, JoinedColumn.Kind.TEXT);
  }

  /** Whether the values represent texts. */
  public boolean isText() {
    return kind == JoinedColumn.Kind.TEXT;
  }
}
