package io.millrace.store.trino;

import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import java.util.Locale;
import java.util.Set;

/** A user's statement; its first words show whether it only reads. */
final class Statement {
  private static final int MAX_LENGTH = 65_536;

  private static final Set<String> READING =
      Set.of("select", "with", "values", "table", "show", "describe", "desc", "explain");

  private final String sql;
  private int at;

  private Statement(String sql) {
    this.sql = sql;
  }

  /**
   * The statement for Trino, without a final semicolon.
   *
   * @throws QueryException if it is not a single query
   */
  static String checked(String sql) {
    if (sql.length() > MAX_LENGTH) {
      throw refusal("the query has more than %,d characters".formatted(MAX_LENGTH));
    }
    Statement statement = new Statement(sql);
    String first = statement.word();
    if (!READING.contains(first)) {
      throw refusal(
          "only queries are allowed: SELECT, WITH, VALUES, TABLE, SHOW, DESCRIBE or EXPLAIN");
    }
    if (first.equals("explain") && statement.word().equals("analyze")) {
      throw refusal("EXPLAIN ANALYZE is not allowed, since it runs the statement");
    }
    String text = sql.strip();
    return text.endsWith(";") ? text.substring(0, text.length() - 1) : text;
  }

  private static QueryException refusal(String message) {
    return new QueryException(Reason.NOT_ALLOWED, message, QueryException.NO_POSITION);
  }

  /**
   * The next word in lower case, after blanks, comments and parentheses; empty if there is none.
   */
  private String word() {
    skip();
    int start = at;
    while (at < sql.length() && Character.isLetter(sql.charAt(at))) {
      at++;
    }
    return sql.substring(start, at).toLowerCase(Locale.ROOT);
  }

  private void skip() {
    while (at < sql.length()) {
      if (sql.startsWith("--", at)) {
        at = after("\n");
      } else if (sql.startsWith("/*", at)) {
        at = after("*/");
      } else if (Character.isWhitespace(sql.charAt(at)) || sql.charAt(at) == '(') {
        at++;
      } else {
        return;
      }
    }
  }

  private int after(String end) {
    int found = sql.indexOf(end, at + 2);
    return found < 0 ? sql.length() : found + end.length();
  }
}
