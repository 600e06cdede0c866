package io.millrace.engine.operator;

import java.io.Serializable;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of a hosted analyzer; {@code timeout} is null if its watermark never advances by the
 * clock.
 */
record Hosting(Duration timeout, boolean isKeyed, boolean copies) implements Serializable {
  /** Settings of a keyed analyzer; its exchange already copies the blocks. */
  static Hosting keyed(Optional<Duration> quiet) {
    return new Hosting(quiet.orElse(null), true, false); // Optional is not serialisable
  }

  /**
   * An analyzer from a job's own jars gets copies, since it might change blocks that other steps
   * share.
   */
  static Hosting of(Optional<Duration> quiet, AnalyzerFactory<?> analyzer) {
    boolean isOfJars = analyzer.getClass().getClassLoader() != Hosting.class.getClassLoader();
    return new Hosting(quiet.orElse(null), false, isOfJars);
  }

  Optional<Duration> quiet() {
    return Optional.ofNullable(timeout);
  }
}
