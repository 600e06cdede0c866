package io.millrace.analytics;

import java.util.concurrent.TimeUnit;

/**
 * Counters of late rows: {@code lateRows}, and {@code historyRows} for those more than an hour
 * older than event time, which come from an old capture or a backfill, so that a greater watermark
 * delay would not help. Used by the analyzer's thread.
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

  /** Counts rows of about that time. */
  public void add(long micros, long rows) {
    boolean isHistory = context.currentWatermark() != Long.MAX_VALUE && micros < newestHistory();
    (isHistory ? history : late).add(rows);
  }

  private long newestHistory() {
    return Math.max(context.currentWatermark(), Long.MIN_VALUE + HOUR_MICROS) - HOUR_MICROS;
  }
}
