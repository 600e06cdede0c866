package io.millrace.store.filter;

import io.millrace.store.QueryException;

/** A syntax error in a filter. The message names the position and quotes the line with an arrow. */
public final class FilterException extends QueryException {
  private static final long serialVersionUID = 1;

  FilterException(String text, int at, String problem) {
    super(Reason.WRONG, message(text, at, problem), at);
  }

  private static String message(String text, int at, String problem) {
    int start = text.lastIndexOf('\n', at - 1) + 1;
    int end = text.indexOf('\n', at);
    String line = text.substring(start, end < 0 ? text.length() : end);
    long lineNumber = 1 + text.substring(0, start).chars().filter(c -> c == '\n').count();
    String place = (lineNumber > 1 ? "line " + lineNumber + ", " : "") + "column ";
    String prefix = "LINE " + lineNumber + ": ";
    // A tab stays a tab, so that the arrow is aligned for any tab width.
    String gap = line.substring(0, at - start).replaceAll("[^\t]", " ");
    return "filter, %s%d: %s%n%s%s%n%s%s^"
        .formatted(place, at - start + 1, problem, prefix, line, " ".repeat(prefix.length()), gap)
        .replace("\r\n", "\n");
  }
}
