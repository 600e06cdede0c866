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
 * @param params conditions of the measurement
 * @param target the bound to meet
 */
public record Figure(
    String bench,
    String metric,
    double value,
    String unit,
    Map<String, Object> params,
    Optional<Target> target) {

  /** A bound that a figure should meet. */
  public record Target(double bound, boolean atLeast) {
    /** A lower bound, inclusive. */
    public static Target atLeast(double bound) {
      return new Target(bound, true);
    }

    /** An upper bound, inclusive. */
    public static Target atMost(double bound) {
      return new Target(bound, false);
    }

    /** Whether a value meets the bound. */
    public boolean isMetBy(double value) {
      return atLeast ? value >= bound : value <= bound;
    }
  }

  /** Creates a figure without conditions and target. */
  public static Figure of(String bench, String metric, double value, String unit) {
    return new Figure(bench, metric, value, unit, Map.of(), Optional.empty());
  }

  /** Returns a copy with another value. */
  public Figure withValue(double other) {
    return new Figure(bench, metric, other, unit, params, target);
  }

  /** Returns a copy with an additional condition. */
  public Figure with(String name, Object condition) {
    Map<String, Object> more = new LinkedHashMap<>(params);
    more.put(name, condition);
    return new Figure(bench, metric, value, unit, more, target);
  }

  /** Returns a copy with a target. */
  public Figure aiming(Target bound) {
    return new Figure(bench, metric, value, unit, params, Optional.of(bound));
  }
}
