package io.millrace.analytics.hitters;

/**
 * The texts behind the ids that columns of data sets have of them. Used by one thread, which closes
 * it.
 */
public interface ColumnTexts extends AutoCloseable {
  /** Of columns without texts. */
  ColumnTexts NONE = (column, id) -> null;

  /**
   * A text.
   *
   * @param column by its name in SQL
   * @return null if the column has numbers, or the id is none of its texts
   */
  String text(String column, long id);

  @Override
  default void close() {}
}
