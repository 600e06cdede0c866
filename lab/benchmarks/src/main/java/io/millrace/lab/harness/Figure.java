package io.millrace.lab.harness;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One figure of a benchmark.
 *
 * @param bench the benchmark's name
 * @param metric {@code rate} (per second), {@code latency_ms}, {@code p50_ms}, {@code
 *     bytes_per_row} …
 * @param value the figure
 * @param unit what it counts
 * @param params under which conditions
 * @param target what was aimed at
 */
public record Figure(
    String bench,
    String metric,
    double value,
    String unit,
    Map<String, Object> params,
    Optional<Target> target) {

  /** A bound that a figure should keep. */
  public record Target(double bound, boolean atLeast) {
    /** A figure that should not be smaller. */
    public static Target atLeast(double bound) {
      return new Target(bound, true);
    }

    /** A figure that should not be larger. */
    public static Target atMost(double bound) {
      return new Target(bound, false);
    }

    /** Whether the figure keeps the bound. */
    public boolean isMetBy(double value) {
      return atLeast ? value >= bound : value <= bound;
    }
  }

  /** A figure without conditions and target. */
  public static Figure of(String bench, String metric, double value, String unit) {
    return new Figure(bench, metric, value, unit, Map.of(), Optional.empty());
  }

  /** The same with another value. */
  public Figure withValue(double other) {
    return new Figure(bench, metric, other, unit, params, target);
  }

  /** The same with one more condition. */
  public Figure with(String name, Object condition) {
    Map<String, Object> more = new LinkedHashMap<>(params);
    more.put(name, condition);
    return new Figure(bench, metric, value, unit, more, target);
  }

  /** The same with a target. */
  public Figure aiming(Target bound) {
    return new Figure(bench, metric, value, unit, params, Optional.of(bound));
  }
}
