package io.millrace.store;

import java.time.Duration;
import java.util.List;

/**
 * An SQL query with its limits.
 *
 * @param sql one statement
 * @param timeLimit time from the call until the last row has been read, so that a slow reader does
 *     not hold a snapshot indefinitely
 * @param rowLimit maximum number of rows; {@link QueryResult#truncated()} reports whether there
 *     were more
 * @param scan whether to read the rows even if rollups cover the query
 * @param parameters values for {@code ?} and {@code $1}, formatted by {@link SqlLiteral}
 * @param lists whether lists are read as {@link QueryResult#exact}, with a bound on their length
 */
public record QueryRequest(
    String sql,
    Duration timeLimit,
    long rowLimit,
    boolean scan,
    List<String> parameters,
    boolean lists) {
  /** A query that returns lists as texts. */
  public QueryRequest(
      String sql, Duration timeLimit, long rowLimit, boolean scan, List<String> parameters) {
    this(sql, timeLimit, rowLimit, scan, parameters, false);
  }

  /** A query without parameters that may use rollups. */
  public QueryRequest(String sql, Duration timeLimit, long rowLimit) {
    this(sql, timeLimit, rowLimit, false);
  }

  /** A query without parameters. */
  public QueryRequest(String sql, Duration timeLimit, long rowLimit, boolean scan) {
    this(sql, timeLimit, rowLimit, scan, List.of());
  }

  /** This query with lists returned as lists. */
  public QueryRequest withLists() {
    return new QueryRequest(sql, timeLimit, rowLimit, scan, parameters, true);
  }

  /** Validates the limits. */
  public QueryRequest {
    parameters = List.copyOf(parameters);
    if (timeLimit.isNegative() || timeLimit.isZero()) {
      throw new IllegalArgumentException("time limit " + timeLimit + " must be positive");
    }
    if (rowLimit < 0) {
      throw new IllegalArgumentException("row limit " + rowLimit + " must not be negative");
    }
  }
}
