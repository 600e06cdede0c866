package io.millrace.analytics.sketch;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A sketch whose counters are sums of weights. So the difference of two epochs is also a sketch, in
 * which constant traffic cancels out, and changers are found in much constant traffic.
 *
 * <p><b>Bounds</b> of these sketches: a key's weight is at most the least of its counters, and less
 * than that by more than e N / w with a probability of at most e⁻ʳ (r rows of w buckets, N the
 * weight of all): a counter exceeds a key by N / w on average, by Markov's inequality by e times
 * that with 1 / e at most, and rows are independent.
 *
 * <p>Keys are recovered from counters. A key that is not in the stream passes only if its counters
 * are heavy in each row. Changers are also decided by the least counter, so one is missed if an
 * opposite change is in one of its buckets: with a probability of r c / w at most for c such
 * changers.
 */
abstract class LinearSketch extends CellSketch {
  /** Number of independent rows for a whole key. */
  private final int independent;

  LinearSketch(
      int keyBytes, int rows, int width, int stride, long[][] parts, int independent, long seed) {
    super(keyBytes, rows, width, stride, parts, seed);
    this.independent = independent;
  }

  /** Keys whose counters may all reach the threshold by absolute value. */
  abstract Set<Key> candidates(long threshold);

  abstract long value(Key key);

  @Override
  public abstract LinearSketch fresh();

  @Override
  public final double confidence() {
    return 1 - Math.exp(-independent);
  }

  /** A weight above the average of a counter. */
  @Override
  public long leastWeight() {
    return 1 + total() / width;
  }

  @Override
  public final Estimate estimate(Key key) {
    long value = Math.max(0, value(key));
    long lower = (long) Math.max(0, Math.floor(value - Math.E * total() / width));
    return new Estimate(value, lower, value);
  }

  @Override
  public final List<Hitter> hitters(long threshold) {
    List<Hitter> hitters = new ArrayList<>();
    for (Key key : candidates(threshold)) {
      Estimate estimate = estimate(key);
      if (estimate.value() >= threshold) {
        hitters.add(new Hitter(key, estimate));
      }
    }
    hitters.sort(Hitter.LARGEST_FIRST);
    return hitters;
  }

  @Override
  public final List<Hitter> changers(HitterSketch previous, long threshold) {
    if (!isAlike(previous)) {
      return super.changers(previous, threshold);
    }
    LinearSketch difference = fresh();
    for (int part = 0; part < parts.length; part++) {
      subtract(parts[part], ((CellSketch) previous).parts[part], difference.parts[part]);
    }
    List<Hitter> changers = new ArrayList<>();
    for (Key key : difference.candidates(threshold)) {
      long change = difference.value(key);
      if (Math.abs(change) >= threshold) {
        Estimate bounds = estimate(key).minus(previous.estimate(key));
        changers.add(new Hitter(key, new Estimate(change, bounds.lower(), bounds.upper())));
      }
    }
    changers.sort(Hitter.LARGEST_FIRST);
    return changers;
  }

  private static void subtract(long[] from, long[] less, long[] difference) {
    for (int i = 0; i < from.length; i++) {
      difference[i] = from[i] - less[i];
    }
  }

  static long nearer(long one, long other) {
    return Math.abs(one) <= Math.abs(other) ? one : other;
  }
}
