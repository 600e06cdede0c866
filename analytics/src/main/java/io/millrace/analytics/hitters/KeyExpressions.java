package io.millrace.analytics.hitters;

import io.millrace.wire.block.FlowBlock;

/**
 * What keys may have besides columns: values that are computed of the columns of a flow. Used by
 * one thread, which closes it.
 */
public interface KeyExpressions extends AutoCloseable {
  /** Of keys that have only columns. */
  KeyExpressions NONE = text -> null;

  /** The values of a block's rows. */
  @FunctionalInterface
  interface Expression {
    /**
     * Writes the value of each row; {@link FlowBlock#NULL} where it is unknown.
     *
     * @param values has room for the rows
     */
    void values(FlowBlock flows, long[] values);
  }

  /**
   * An expression.
   *
   * @param text as a {@linkplain HitterKind key} has it
   * @return null if it is the name of a column
   */
  Expression of(String text);

  @Override
  default void close() {}
}
