package io.millrace.cli.print;

import java.util.Locale;

/** Counts with a noun. */
public final class Plural {
  private Plural() {}

  /** {@code 1 file}, {@code 2,000 files}. */
  public static String of(long n, String thing) {
    return String.format(Locale.ROOT, "%,d %s%s", n, thing, n == 1 ? "" : "s");
  }
}
