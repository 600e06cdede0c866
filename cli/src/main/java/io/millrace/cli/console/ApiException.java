package io.millrace.cli.console;

import java.io.IOException;

/** Error response of the running instance. */
public final class ApiException extends IOException {
  /** Start of the lines in which the store quotes the query and marks the position. */
  private static final String QUOTE = "\nLINE ";

  private static final long serialVersionUID = 1;

  private static final int BAD_REQUEST = 400;

  private final int status;
  private final int position;

  /**
   * Creates an exception.
   *
   * @param status HTTP status
   * @param position index of the erroneous character of the query, from 0; negative if unknown
   */
  public ApiException(String message, int status, int position) {
    super(message);
    this.status = status;
    this.position = position;
  }

  /** Whether the request itself was invalid, so that a retry fails too. */
  public boolean isBadUse() {
    return status == BAD_REQUEST;
  }

  /** Whether the position in the query is known. */
  public boolean pointsIntoQuery() {
    return position >= 0;
  }

  /** Message without the quoted query, with the position counted from 1. */
  public String inOneLine() {
    String message = getMessage();
    int quote = message.indexOf(QUOTE);
    String unquoted = quote < 0 ? message : message.substring(0, quote);
    String line = unquoted.strip().replaceAll("\\s*\\R\\s*", " ");
    return position < 0 ? line : line + " (at character " + (position + 1) + " of the query)";
  }
}
