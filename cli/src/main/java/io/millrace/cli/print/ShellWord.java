package io.millrace.cli.print;

/** Quotes words for a shell command line. */
public final class ShellWord {
  private ShellWord() {}

  /** Puts a text in single quotes unless a POSIX shell reads it literally. */
  public static String of(Object text) {
    String word = text.toString();
    return word.matches("[A-Za-z0-9_./:=@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
