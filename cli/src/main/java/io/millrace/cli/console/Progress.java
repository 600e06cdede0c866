package io.millrace.cli.console;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Progress line on standard error: work done, rate, time left. Shown only on a terminal, and
 * updated at most five times a second. Not thread-safe.
 */
public final class Progress implements AutoCloseable {
  private static final long REFRESH_NANOS = 200_000_000L;

  private final PrintStream err;
  private final boolean shown;
  private final String what;
  private final long start = System.nanoTime();
  private long lastShown = start;
  private boolean dirty;

  /** Creates a line that begins with {@code what}. */
  public Progress(String what) {
    this(what, System.err, Terminal.isStandardError());
  }

  Progress(String what, PrintStream err, boolean shown) {
    this.what = what;
    this.err = err;
    this.shown = shown;
  }

  /**
   * Updates the line if it is due.
   *
   * @param records records processed so far
   * @param done work done so far, in the unit of {@code total}
   * @param total total work; 0 if unknown
   */
  public void update(long records, long done, long total) {
    if (!shown) {
      return;
    }
    long now = System.nanoTime();
    if (now - lastShown < REFRESH_NANOS) {
      return;
    }
    lastShown = now;
    dirty = true;
    double seconds = (now - start) / 1e9;
    StringBuilder line = new StringBuilder("\r\033[K").append(what).append(": ");
    line.append(String.format(Locale.ROOT, "%,d, %,.0f/s", records, records / seconds));
    if (total > 0 && done > 0) {
      double share = Math.min(1, (double) done / total);
      line.append(
          String.format(
              Locale.ROOT, ", %.0f%%, %.0f s left", share * 100, seconds / share - seconds));
    }
    err.print(line);
    err.flush();
  }

  @Override
  public void close() {
    if (dirty) {
      err.print("\r\033[K");
      err.flush();
    }
  }
}
