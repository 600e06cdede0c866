package io.millrace.store.duckdb.top;

import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.SeriesResult.Line;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Volumes of some groups and of everything by points of time. Used by one thread. */
final class Points {
  private static final long SECOND = 1_000_000;
  private static final double PERCENT = 100;

  private final Span span;
  private final double[][] groups;
  private final double[] bounds;
  private final double[] total;
  private double totalBound;
  private final Uncertainty uncertainty;
  private boolean isScaled;
  private long edges;

  record Span(long from, long to, long step, long known) {
    int points() {
      return from >= to ? 0 : Math.toIntExact((to - from + step - 1) / step);
    }

    private int point(long time) {
      return (int) Math.min(points() - 1, Math.max(0, time - from) / step);
    }

    private double seconds(long start, long end) {
      long micros = Math.min(end, to) - Math.max(start, known);
      return micros <= 0 ? 0 : Math.max(micros, Math.min(step, SECOND)) / (double) SECOND;
    }
  }

  Points(Span span, int groups) {
    this.span = span;
    uncertainty = new Uncertainty(groups, span.points());
    this.groups = new double[groups][span.points()];
    bounds = new double[groups];
    total = new double[span.points()];
  }

  void add(int place, long time, double scaled, double plain, long rows) {
    int point = span.point(time);
    if (place >= 0) {
      groups[place][point] += scaled;
    }
    total[point] += scaled;
    isScaled |= scaled != plain;
    edges += rows;
  }

  void addBucket(CachedLines.Bucket bucket, boolean isWholeSet, boolean isCounted) {
    int point = span.point(bucket.start());
    for (int place = 0; place < bounds.length; place++) {
      boolean isPresent = bucket.groups()[place] != CachedLines.ABSENT;
      groups[place][point] += isPresent ? bucket.groups()[place] : 0;
      bounds[place] += !isWholeSet ? bucket.rest() : isPresent ? 0 : bucket.bound();
    }
    total[point] += bucket.scaled() + (isCounted ? bucket.rest() : 0);
    totalBound += isCounted ? 0 : bucket.rest();
    isScaled |= bucket.scaled() != bucket.plain();
  }

  void addUncertain(int place, double volume, double variance) {
    uncertainty.add(place, volume, variance);
  }

  void addUncertain(int place, long time, double volume, double variance) {
    uncertainty.add(place, span.point(time), volume, variance);
  }

  void sampled(long before, double most) {
    int points = before <= span.from ? 0 : span.point(before - 1) + 1;
    uncertainty.estimated(points, most);
  }

  long edges() {
    return edges;
  }

  boolean isScaled() {
    return isScaled;
  }

  List<Integer> largestFirst() {
    double[] volumes = Arrays.stream(groups).mapToDouble(its -> Arrays.stream(its).sum()).toArray();
    return IntStream.range(0, volumes.length)
        .boxed()
        .sorted(Comparator.comparingDouble(place -> -volumes[place])) // stable
        .toList();
  }

  Line group(int place, Measure measure) {
    return line(groups[place], bounds[place], place, measure);
  }

  Line total(Measure measure) {
    return line(total, totalBound, uncertainty.all(), measure);
  }

  Line others(Measure measure) {
    double[] rest = total.clone();
    for (double[] group : groups) {
      for (int i = 0; i < rest.length; i++) {
        rest[i] -= group[i];
      }
    }
    return line(rest, totalBound, uncertainty.others(), measure);
  }

  private Line line(double[] volumes, double bound, int place, Measure measure) {
    int units = measure.units();
    boolean isShare = measure == Measure.SHARE;
    double[] rates = new double[volumes.length];
    double[] errors = new double[uncertainty.isAny() ? rates.length : 0];
    int known = 0;
    double[] sorted = new double[volumes.length];
    for (int i = 0; i < rates.length; i++) {
      long start = span.from + i * span.step;
      double seconds = span.seconds(start, start + span.step);
      double one = isShare ? total[i] / PERCENT : seconds / units;
      boolean isKnown = seconds > 0 && one > 0;
      rates[i] = isKnown ? volumes[i] / one : Double.NaN;
      if (isKnown) {
        sorted[known++] = rates[i];
      }
      if (isKnown && errors.length > 0) {
        double part = isShare ? volumes[i] / total[i] : 0;
        errors[i] = uncertainty.error(place, i, part) / one;
      }
    }
    Arrays.sort(sorted, 0, known);
    double sum = Arrays.stream(volumes).sum() * units;
    double all = Arrays.stream(total).sum() * units;
    double share = all == 0 ? 0 : sum / all;
    double seconds = span.seconds(span.from, span.to);
    return new Line(
        rates,
        isShare ? share * PERCENT : seconds == 0 ? 0 : sum / seconds,
        known == 0 ? 0 : sorted[known - 1],
        known == 0 ? 0 : sorted[known - 1 - known / 20],
        errors,
        sum,
        share,
        bound * units,
        uncertainty.error(place) * units);
  }
}
