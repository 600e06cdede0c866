package io.millrace.cli.print;

import java.util.Locale;

/** Formats counts with a noun. */
public final class Plural {
  private Plural() {}

  /** Formats a count, such as {@code 1 file} or {@code 2,000 files}. */
  public static String of(long n, String thing) {
    return String.format(Locale.ROOT, "%,d %s%s", n, thing, n == 1 ? "" : "s");
  }
}
