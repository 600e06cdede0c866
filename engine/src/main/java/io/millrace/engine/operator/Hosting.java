package io.millrace.engine.operator;

import java.io.Serializable;
import java.time.Duration;
import java.util.Optional;

/**
 * How an analyzer is hosted.
 *
 * @param patience after which event time goes on by the clock; null if it never does
 * @param isKeyed whether its rows are dealt out by key, and its state is by key
 * @param copies whether it is given copies of the blocks
 */
record Hosting(Duration patience, boolean isKeyed, boolean copies) implements Serializable {
  /** With state by key; an exchange has made copies already. */
  static Hosting keyed(Optional<Duration> quiet) {
    return new Hosting(quiet.orElse(null), true, false); // an Optional does not travel
  }

  /**
   * Without keys: other steps have the same blocks in their hands, and an analyzer of a job's own
   * jars may not know that it must not change them.
   */
  static Hosting of(Optional<Duration> quiet, AnalyzerFactory<?> analyzer) {
    boolean isOfJars = analyzer.getClass().getClassLoader() != Hosting.class.getClassLoader();
    return new Hosting(quiet.orElse(null), false, isOfJars);
  }

  Optional<Duration> quiet() {
    return Optional.ofNullable(patience);
  }
}
