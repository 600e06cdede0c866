package io.millrace.datasets;

import io.millrace.wire.block.JoinedColumn;

/**
 * One thing that the records of a data set say.
 *
 * @param name lower case with underscores; a joined column is a prefix and this name
 * @param kind whether the values are numbers or stand for texts
 */
public record Field(String name, JoinedColumn.Kind kind) {
  /** A field of unsigned 32-bit numbers. */
  public static Field number(String name) {
    return new Field(name, JoinedColumn.Kind.NUMBER);
  }

  /** A field of texts. */
  public static Field text(String name) {
    return new Field(name, JoinedColumn.Kind.TEXT);
  }

  /** Whether the values stand for texts. */
  public boolean isText() {
    return kind == JoinedColumn.Kind.TEXT;
  }
}
