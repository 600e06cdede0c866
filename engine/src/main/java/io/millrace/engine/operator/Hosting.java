package io.millrace.engine.operator;

import java.io.Serializable;
import java.time.Duration;
import java.util.Optional;

/**
 * How an analyzer is hosted.
 *
 * @param patience after which event time goes on by the clock; null if it never does
 * @param isKeyed whether its rows are dealt out by key, and its state is by key
 */
record Hosting(Duration patience, boolean isKeyed) implements Serializable {
  static Hosting of(Optional<Duration> quiet, boolean isKeyed) {
    return new Hosting(quiet.orElse(null), isKeyed); // an Optional does not travel
  }

  Optional<Duration> quiet() {
    return Optional.ofNullable(patience);
  }
}
