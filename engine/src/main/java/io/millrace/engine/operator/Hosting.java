package io.millrace.engine.operator;

import java.io.Serializable;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of a hosted analyzer; {@code timeout} is null if the watermark never follows the clock.
 */
record Hosting(Duration timeout, boolean isKeyed, boolean copies) implements Serializable {
  /** Keyed; the exchange has copied the blocks already. */
  static Hosting keyed(Optional<Duration> quiet) {
    return new Hosting(quiet.orElse(null), true, false); // Optional is not serialisable
  }

  /** Other steps share the blocks, and an analyzer from a job's own jars might change them. */
  static Hosting of(Optional<Duration> quiet, AnalyzerFactory<?> analyzer) {
    boolean isOfJars = analyzer.getClass().getClassLoader() != Hosting.class.getClassLoader();
    return new Hosting(quiet.orElse(null), false, isOfJars);
  }

  Optional<Duration> quiet() {
    return Optional.ofNullable(timeout);
  }
}
