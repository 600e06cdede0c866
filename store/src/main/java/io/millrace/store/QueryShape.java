package io.millrace.store;

import java.util.List;

/**
 * What a query will give and what it wants, known without running it.
 *
 * @param columns of the rows, from left to right
 * @param parameters that are left open, in the order of their numbers; the type is {@code UNKNOWN}
 *     where nothing in the query says it
 */
public record QueryShape(List<QueryResult.Column> columns, List<QueryResult.Column> parameters) {
  /** Copies the lists. */
  public QueryShape {
    columns = List.copyOf(columns);
    parameters = List.copyOf(parameters);
  }
}
