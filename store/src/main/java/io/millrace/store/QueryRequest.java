package io.millrace.store;

import java.time.Duration;
import java.util.List;

/**
 * A question in SQL with its limits.
 *
 * @param sql one statement
 * @param timeLimit after this the query is interrupted; counted from the call until the last row
 *     has been read, so that a slow reader holds no snapshot for ever
 * @param rowLimit rows handed out at most; {@link QueryResult#truncated()} says that there were
 *     more
 * @param scan whether to read the rows even where rollups have the answer
 * @param parameters values for {@code ?} and {@code $1}, as {@link SqlLiteral} writes them
 */
public record QueryRequest(
    String sql, Duration timeLimit, long rowLimit, boolean scan, List<String> parameters) {
  /** A question answered from whatever is fastest. */
  public QueryRequest(String sql, Duration timeLimit, long rowLimit) {
    this(sql, timeLimit, rowLimit, false);
  }

  /** A question without parameters. */
  public QueryRequest(String sql, Duration timeLimit, long rowLimit, boolean scan) {
    this(sql, timeLimit, rowLimit, scan, List.of());
  }

  /** Checks the limits. */
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
