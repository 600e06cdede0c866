package io.millrace.cli.console;

import java.io.IOException;

/** The running instance's own words on why it refuses. */
public final class RefusedException extends IOException {
  /** How a store begins the lines that quote the query, with an arrow under the place. */
  private static final String QUOTE = "\nLINE ";

  private static final long serialVersionUID = 1;

  private static final int BAD_REQUEST = 400;

  private final int status;
  private final int position;

  /**
   * A refusal.
   *
   * @param status of HTTP
   * @param position character of the query at which it went wrong, from 0; negative where that is
   *     not known
   */
  public RefusedException(String message, int status, int position) {
    super(message);
    this.status = status;
    this.position = position;
  }

  /** Whether the question itself was wrong, and would be at any time. */
  public boolean isBadUse() {
    return status == BAD_REQUEST;
  }

  /** Whether a place in the query is known. */
  public boolean pointsIntoQuery() {
    return position >= 0;
  }

  /** The message without its quote of the query, the place as a number that counts from 1. */
  public String inOneLine() {
    String message = getMessage();
    int quote = message.indexOf(QUOTE);
    String told = quote < 0 ? message : message.substring(0, quote);
    String line = told.strip().replaceAll("\\s*\\R\\s*", " ");
    return position < 0 ? line : line + " (at character " + (position + 1) + " of the query)";
  }
}
