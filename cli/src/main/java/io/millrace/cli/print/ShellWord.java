package io.millrace.cli.print;

/** Quoting of words for a shell command line. */
public final class ShellWord {
  private ShellWord() {}

  /** The text, in single quotes unless a POSIX shell takes it literally. */
  public static String of(Object text) {
    String word = text.toString();
    return word.matches("[A-Za-z0-9_./:=@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
