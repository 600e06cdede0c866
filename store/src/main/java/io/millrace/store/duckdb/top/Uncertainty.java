package io.millrace.store.duckdb.top;

import io.millrace.store.duckdb.sample.Estimate;
import java.util.Arrays;

/**
 * Error bounds of the volumes of some groups computed from sampled rows: in total and at each point
 * of time. A flow that spans several points is sampled once for all of them, so the total error is
 * not the sum of the points' errors. Used by one thread.
 */
final class Uncertainty {
  private final int groups;
  private final int points;
  private final Sum[] whole;

  /** By place and point; null if nothing of a place was sampled. */
  private final Sum[][] each;

  private int estimatedPoints;
  private double largest;

  private record Sum(double volume, double variance) {
    static final Sum NOTHING = new Sum(0, 0);

    Sum plus(double otherVolume, double otherVariance) {
      return new Sum(volume + otherVolume, variance + otherVariance);
    }

    Sum without(Sum part) {
      return new Sum(Math.max(0, volume - part.volume), Math.max(0, variance - part.variance));
    }

    double error(double largest) {
      return Estimate.halfWidth(volume, variance, largest);
    }
  }

  Uncertainty(int groups, int points) {
    this.groups = groups;
    this.points = points;
    whole = new Sum[groups + 2];
    Arrays.fill(whole, Sum.NOTHING);
    each = new Sum[groups + 2][];
  }

  int others() {
    return groups;
  }

  int all() {
    return groups + 1;
  }

  void estimated(int firstPoints, double most) {
    estimatedPoints = firstPoints;
    largest = most;
  }

  boolean isAny() {
    return largest > 0;
  }

  void add(int place, double volume, double variance) {
    for (int at : new int[] {place < 0 ? others() : place, all()}) {
      whole[at] = whole[at].plus(volume, variance);
    }
  }

  void add(int place, int point, double volume, double variance) {
    for (int at : new int[] {place < 0 ? others() : place, all()}) {
      if (each[at] == null) {
        each[at] = new Sum[points];
        Arrays.fill(each[at], Sum.NOTHING);
      }
      each[at][point] = each[at][point].plus(volume, variance);
    }
  }

  double error(int place) {
    return whole[place].error(largest);
  }

  double error(int place, int point, double part) {
    if (point >= estimatedPoints || (part > 0 && place == all())) {
      return 0;
    }
    Sum own = at(place, point);
    double rest = part > 0 ? at(all(), point).without(own).error(largest) : 0;
    return (1 - part) * own.error(largest) + part * rest;
  }

  private Sum at(int place, int point) {
    return each[place] == null ? Sum.NOTHING : each[place][point];
  }
}
