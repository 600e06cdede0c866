package io.millrace.analytics;

import java.util.concurrent.TimeUnit;

/**
 * Counts rows that came when what they belong to was over: as {@code lateRows}, and those of more
 * than an hour before event time as {@code historyRows}. These are no disorder, which more lateness
 * would mend, but an old capture that is read, or a past that is loaded. Used by the analyzer's
 * thread.
 */
public final class LateRows {
  private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);

  private final AnalyzerContext context;
  private final AnalyzerContext.Counter late;
  private final AnalyzerContext.Counter history;

  /** Counters of a step. */
  public LateRows(AnalyzerContext context) {
    this.context = context;
    late = context.counter("lateRows");
    history = context.counter("historyRows");
  }

  /** Some rows of about that time. */
  public void add(long micros, long rows) {
    boolean isHistory = context.eventTime() != Long.MAX_VALUE && micros < newestHistory();
    (isHistory ? history : late).add(rows);
  }

  private long newestHistory() {
    return Math.max(context.eventTime(), Long.MIN_VALUE + HOUR_MICROS) - HOUR_MICROS;
  }
}
