package io.millrace.store;

import java.util.List;

/**
 * Columns and parameters of a query, determined without running it.
 *
 * @param columns of the rows, from left to right
 * @param parameters open parameters, by number; the type is {@code UNKNOWN} if the query does not
 *     imply it
 */
public record QueryShape(List<QueryResult.Column> columns, List<QueryResult.Column> parameters) {
  /** Copies the lists. */
  public QueryShape {
    columns = List.copyOf(columns);
    parameters = List.copyOf(parameters);
  }
}
