package io.millrace.wire.block;

import java.util.Arrays;

/**
 * A column that a data set adds to a {@link FlowBlock}: numbers, or texts by their ordinal in the
 * data set.
 *
 * <p>A row has a text's ordinal in the data set's immutable file. {@link #base()} plus the ordinal
 * is the text's id, which is permanent and the same in every process. A block has the texts of ids
 * that its sender has not sent before ({@link FlowBlock#names()}).
 */
public final class JoinedColumn {
  /** Representation of the values. */
  public enum Kind {
    /** {@code values[i]} is an unsigned 32-bit number, or {@link FlowBlock#NULL}. */
    NUMBER,
    /**
     * {@code base + values[i]} is the id of a text; {@code values[i]} is {@link FlowBlock#NULL}.
     */
    TEXT
  }

  private final String name;
  private final Kind kind;
  private final long base;
  private final int[] values;

  /**
   * @param name column name in SQL
   * @param kind representation of the values
   * @param base id of ordinal 0 for texts; 0 for numbers
   * @param values a value for each row; may be longer than the block
   */
  public JoinedColumn(String name, Kind kind, long base, int[] values) {
    this.name = name;
    this.kind = kind;
    this.base = base;
    this.values = values;
  }

  /** Column name in SQL. */
  public String name() {
    return name;
  }

  /** Representation of the values. */
  public Kind kind() {
    return kind;
  }

  /** Id of the ordinal 0 of texts; 0 for numbers. */
  public long base() {
    return base;
  }

  /** The values, not a copy; entries after the block's rows are undefined. */
  public int[] values() {
    return values;
  }

  @Override
  public String toString() {
    return name + " " + kind + " base " + base + " " + Arrays.toString(values);
  }
}
