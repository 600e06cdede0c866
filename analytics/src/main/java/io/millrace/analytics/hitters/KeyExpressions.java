package io.millrace.analytics.hitters;

import io.millrace.wire.block.FlowBlock;

/**
 * Compiler of computed parts of keys: expressions on the columns of a flow. Used by one thread,
 * which closes it.
 */
public interface KeyExpressions extends AutoCloseable {
  /** No expressions. */
  KeyExpressions NONE = text -> null;

  /** Values of a block's rows. */
  @FunctionalInterface
  interface Expression {
    /**
     * Writes the value of each row; {@link FlowBlock#NULL} if unknown.
     *
     * @param values at least as long as the number of rows
     */
    void values(FlowBlock flows, long[] values);
  }

  /**
   * Compiles an expression.
   *
   * @param text as in a {@linkplain HitterKind key}
   * @return null if it is the name of a column
   */
  Expression of(String text);

  @Override
  default void close() {}
}
