package io.millrace.cli.print;

/** A word of a command line that a user may copy into a shell. */
public final class ShellWord {
  private ShellWord() {}

  /** The text as it is where a POSIX shell takes it so, else in single quotes. */
  public static String of(Object text) {
    String word = text.toString();
    return word.matches("[A-Za-z0-9_./:=@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
