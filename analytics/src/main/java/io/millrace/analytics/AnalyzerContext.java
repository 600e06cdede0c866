package io.millrace.analytics;

import java.util.function.LongSupplier;

/** What an analyzer may know of the place where it runs. Valid until it is closed. */
public interface AnalyzerContext {
  /** A number that only grows. Used by the analyzer's thread, read by any. */
  @FunctionalInterface
  interface Counter {
    /** Adds {@code n}, which is not negative. */
    void add(long n);
  }

  /** Which of its parallel copies the analyzer is, from 0 to {@link #count()}{@code - 1}. */
  int index();

  /** Number of parallel copies. */
  int count();

  /** The key groups whose keys come here; all of them where the step is not keyed. */
  KeyGroups keyGroups();

  /**
   * Event time as it stands, in microseconds since the epoch: that of the last {@link
   * Analyzer#watermark}, or, until it is passed again, that of the checkpoint from which the job
   * goes on. So a row that was late before a failure is late again. {@link Long#MIN_VALUE} where
   * none is known yet. Asked for by the analyzer's thread.
   */
  default long eventTime() {
    return Long.MIN_VALUE;
  }

  /** A counter under that name, shown with the step's other figures; 0 after each start. */
  Counter counter(String name);

  /** Shows a value under that name; asked for by other threads, at any time. */
  void gauge(String name, LongSupplier value);

  /** A context of the only copy of an analyzer, whose figures nobody looks at. */
  static AnalyzerContext alone() {
    return new AloneContext();
  }
}
