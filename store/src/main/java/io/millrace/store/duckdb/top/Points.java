package io.millrace.store.duckdb.top;

import io.millrace.store.SeriesResult.Line;
import io.millrace.store.duckdb.sample.Estimate;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Volumes of some groups and of everything by points of time, added up by one thread. */
final class Points {
  private static final long SECOND = 1_000_000;

  private final Span span;
  private final double[][] groups;
  private final double[] bounds;
  private final double[] total;
  private double totalBound;
  private final Uncertain[] uncertain;
  private double largest;
  private boolean isScaled;
  private long edges;

  /**
   * A stretch of time in points, microseconds since the epoch.
   *
   * @param from start of the first point
   * @param to end of the last, exclusive
   * @param step length of a point; the last may be shorter
   * @param known before this nothing is known
   */
  record Span(long from, long to, long step, long known) {
    int points() {
      return from >= to ? 0 : Math.toIntExact((to - from + step - 1) / step);
    }

    private int point(long time) {
      return (int) Math.min(points() - 1, Math.max(0, time - from) / step);
    }

    /**
     * Seconds of a stretch of which something is known. Something came in the least of times, which
     * is no rate: a second counts at least, or a whole point.
     */
    private double seconds(long start, long end) {
      long micros = Math.min(end, to) - Math.max(start, known);
      return micros <= 0 ? 0 : Math.max(micros, Math.min(step, SECOND)) / (double) SECOND;
    }
  }

  /** What sampled rows count for others, and the variance of what they count. */
  private record Uncertain(double volume, double variance) {
    static final Uncertain NOTHING = new Uncertain(0, 0);

    Uncertain plus(Uncertain other) {
      return new Uncertain(volume + other.volume, variance + other.variance);
    }
  }

  Points(Span span, int groups) {
    this.span = span;
    uncertain = new Uncertain[groups + 1]; // the last of what no listed group has
    Arrays.fill(uncertain, Uncertain.NOTHING);
    this.groups = new double[groups][span.points()];
    bounds = new double[groups];
    total = new double[span.points()];
  }

  /**
   * Adds a sum.
   *
   * @param place of the group; -1 for one that is not listed
   */
  void add(int place, long time, double scaled, double plain, long rows) {
    int point = span.point(time);
    if (place >= 0) {
      groups[place][point] += scaled;
    }
    total[point] += scaled;
    isScaled |= scaled != plain;
    edges += rows;
  }

  /**
   * Adds a whole bucket.
   *
   * @param isWholeSet whether each group of the set is a group of its own: one that a bucket has is
   *     exact there
   * @param isCounted whether what was dropped counts in the total
   */
  void addBucket(HeldLines.Bucket bucket, boolean isWholeSet, boolean isCounted) {
    int point = span.point(bucket.start());
    for (int place = 0; place < bounds.length; place++) {
      boolean isPresent = bucket.groups()[place] != HeldLines.ABSENT;
      groups[place][point] += isPresent ? bucket.groups()[place] : 0;
      bounds[place] += !isWholeSet ? bucket.rest() : isPresent ? 0 : bucket.bound();
    }
    total[point] += bucket.scaled() + (isCounted ? bucket.rest() : 0);
    totalBound += isCounted ? 0 : bucket.rest();
    isScaled |= bucket.scaled() != bucket.plain();
  }

  /**
   * Adds what is uncertain of a group over all points.
   *
   * @param place of the group; -1 for one that is not listed
   * @param most that a row may count which is not sampled
   */
  void addUncertain(int place, double volume, double variance, double most) {
    int at = place < 0 ? groups.length : place;
    uncertain[at] = uncertain[at].plus(new Uncertain(volume, variance));
    largest = most;
  }

  /** Rows that were read one by one. */
  long edges() {
    return edges;
  }

  /** Whether a sampling rate was other than 1. */
  boolean isScaled() {
    return isScaled;
  }

  /** The places of the groups by their volumes. */
  List<Integer> largestFirst() {
    double[] volumes = Arrays.stream(groups).mapToDouble(its -> Arrays.stream(its).sum()).toArray();
    return IntStream.range(0, volumes.length)
        .boxed()
        .sorted(Comparator.comparingDouble(place -> -volumes[place])) // equal ones stay
        .toList();
  }

  /** A group's rates. */
  Line group(int place, int units) {
    return line(groups[place], bounds[place], uncertain[place], units);
  }

  /** The rates of everything. */
  Line total(int units) {
    Uncertain all = Arrays.stream(uncertain).reduce(Uncertain.NOTHING, Uncertain::plus);
    return line(total, totalBound, all, units);
  }

  /** The rates of what no listed group has. */
  Line others(int units) {
    double[] rest = total.clone();
    for (double[] group : groups) {
      for (int i = 0; i < rest.length; i++) {
        rest[i] -= group[i];
      }
    }
    return line(rest, totalBound, uncertain[groups.length], units);
  }

  private Line line(double[] volumes, double bound, Uncertain its, int units) {
    double[] rates = new double[volumes.length];
    int known = 0;
    double[] sorted = new double[volumes.length];
    for (int i = 0; i < rates.length; i++) {
      long start = span.from + i * span.step;
      double seconds = span.seconds(start, start + span.step);
      rates[i] = seconds == 0 ? Double.NaN : volumes[i] * units / seconds;
      if (seconds > 0) {
        sorted[known++] = rates[i];
      }
    }
    Arrays.sort(sorted, 0, known);
    double sum = Arrays.stream(volumes).sum() * units;
    double all = Arrays.stream(total).sum() * units;
    double seconds = span.seconds(span.from, span.to);
    return new Line(
        rates,
        seconds == 0 ? 0 : sum / seconds,
        known == 0 ? 0 : sorted[known - 1],
        known == 0 ? 0 : sorted[known - 1 - known / 20],
        sum,
        all == 0 ? 0 : sum / all,
        bound * units,
        Estimate.halfWidth(its.volume, its.variance, largest) * units);
  }
}
