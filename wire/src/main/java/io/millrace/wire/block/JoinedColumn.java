package io.millrace.wire.block;

import java.util.Arrays;

/**
 * A column that a data set adds to a {@link FlowBlock}: numbers, or texts by their number in the
 * data set.
 *
 * <p>A text is not carried with every row. The row holds its ordinal in the data set's immutable
 * file, and {@link #base()} plus the ordinal is the text's id, the same for ever and in every
 * process; a block carries the texts of those ids that its sender has not sent before ({@link
 * FlowBlock#names()}).
 */
public final class JoinedColumn {
  /** Whether the values are the answer or stand for it. */
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
   * @param kind what the values are
   * @param base for texts what is added to an ordinal to make an id; 0 for numbers
   * @param values one value a row; may be longer than the block has rows
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

  /** What the values are. */
  public Kind kind() {
    return kind;
  }

  /** What is added to an ordinal to make the id of a text; 0 for numbers. */
  public long base() {
    return base;
  }

  /** The values themselves, not a copy; entries behind the block's rows mean nothing. */
  public int[] values() {
    return values;
  }

  @Override
  public String toString() {
    return name + " " + kind + " base " + base + " " + Arrays.toString(values);
  }
}
