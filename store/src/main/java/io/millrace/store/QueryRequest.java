package io.millrace.store;

import java.time.Duration;

/**
 * A question in SQL with its limits.
 *
 * @param sql one statement
 * @param timeLimit after this the query is interrupted; counted from the call until the last row
 *     has been read, so that a slow reader holds no snapshot for ever
 * @param rowLimit rows handed out at most; {@link QueryResult#truncated()} says that there were
 *     more
 * @param scan whether to read the rows even where rollups have the answer
 */
public record QueryRequest(String sql, Duration timeLimit, long rowLimit, boolean scan) {
  /** A question answered from whatever is fastest. */
  public QueryRequest(String sql, Duration timeLimit, long rowLimit) {
    this(sql, timeLimit, rowLimit, false);
  }

  /** Checks the limits. */
  public QueryRequest {
    if (timeLimit.isNegative() || timeLimit.isZero()) {
      throw new IllegalArgumentException("time limit " + timeLimit + " must be positive");
    }
    if (rowLimit < 0) {
      throw new IllegalArgumentException("row limit " + rowLimit + " must not be negative");
    }
  }
}
