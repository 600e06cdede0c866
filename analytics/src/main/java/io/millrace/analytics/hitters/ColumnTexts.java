package io.millrace.analytics.hitters;

/** Texts of the ids in columns of data sets. Used by one thread, which closes it. */
public interface ColumnTexts extends AutoCloseable {
  /** No texts. */
  ColumnTexts NONE = (column, id) -> null;

  /**
   * Looks up a text.
   *
   * @param column by its name in SQL
   * @return null if the column has numbers or the id is unknown
   */
  String text(String column, long id);

  @Override
  default void close() {}
}
