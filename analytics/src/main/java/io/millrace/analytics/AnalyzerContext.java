package io.millrace.analytics;

import java.util.function.LongSupplier;

/** Runtime context of an analyzer. Valid until the analyzer is closed. */
public interface AnalyzerContext {
  /** Monotonic counter. Updated by the analyzer's thread, read by any. */
  @FunctionalInterface
  interface Counter {
    /** Adds {@code n}, which is not negative. */
    void add(long n);
  }

  /** Index of this subtask, from 0 to {@link #count()}{@code - 1}. */
  int index();

  /** Number of subtasks. */
  int count();

  /** Key groups of this subtask; all of them if the step is not keyed. */
  KeyGroups keyGroups();

  /**
   * Current watermark in microseconds since the epoch: that of the last {@link Analyzer#watermark},
   * or that of the restored checkpoint until a later one arrives. So a row that was late before a
   * failure is late again. {@link Long#MIN_VALUE} if unknown. Called by the analyzer's thread.
   */
  default long currentWatermark() {
    return Long.MIN_VALUE;
  }

  /** Registers a counter, reported with the step's metrics; 0 after each start. */
  Counter counter(String name);

  /** Registers a gauge; read by other threads, at any time. */
  void gauge(String name, LongSupplier value);

  /** Context of a single subtask whose metrics are ignored. */
  static AnalyzerContext alone() {
    return new AloneContext();
  }
}
