package io.millrace.store.duckdb.query;

import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Converts DuckDB's errors to query errors with the position that they point to. */
final class DuckDbErrors {
  private static final Pattern POINTER =
      Pattern.compile("LINE (\\d+): (.*)\\R( *)\\^", Pattern.MULTILINE);

  private DuckDbErrors() {}

  static QueryException query(SQLException e, String sql, boolean timedOut) {
    String message = e.getMessage() == null ? "query failed" : e.getMessage().strip();
    if (timedOut) {
      return new QueryException(
          Reason.TIMEOUT,
          "the query exceeded its time limit and was cancelled",
          QueryException.NO_POSITION);
    }
    if (message.contains("Overflow in ") && message.contains("INT64")) {
      message += "\nCast an operand to 128 bits, for example bytes::HUGEINT.";
    }
    boolean rejected = message.startsWith("Permission Error") || message.contains("read-only mode");
    return new QueryException(
        rejected ? Reason.NOT_ALLOWED : Reason.WRONG, message, position(message, sql));
  }

  private static int position(String message, String sql) {
    Matcher pointer = POINTER.matcher(message);
    if (!pointer.find()) {
      return QueryException.NO_POSITION;
    }
    int line = Integer.parseInt(pointer.group(1));
    int lineStart = 0;
    for (int i = 1; i < line; i++) {
      lineStart = sql.indexOf('\n', lineStart) + 1;
      if (lineStart == 0) {
        return QueryException.NO_POSITION;
      }
    }
    String shown = pointer.group(2);
    int mark = pointer.group(3).length() - ("LINE " + line + ": ").length();
    int cut = shown.startsWith("...") ? 3 : 0;
    String visible = shown.substring(cut, shown.length() - (shown.endsWith("...") ? 3 : 0));
    int at = sql.indexOf(visible, lineStart);
    return at < 0 || mark < cut ? QueryException.NO_POSITION : at + mark - cut;
  }
}
