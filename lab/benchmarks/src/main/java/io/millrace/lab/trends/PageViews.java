package io.millrace.lab.trends;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Synthetic page views by hour, with the expected results. Equal arguments give equal views.
 *
 * <ul>
 *   <li>a million titles, whose frequencies follow Zipf's law;
 *   <li>a daily cycle of ±30%;
 *   <li>log-normal noise of 5%: the variance of a title's count is m + 0.0025 m², with Poisson's m;
 *   <li>rises by a factor of 2 to 20 (uniform), on titles with 5 to 5,000 views per hour
 *       (log-uniform), which start anywhere in an hour and last two to five hours.
 * </ul>
 */
final class PageViews {
  static final long HOUR = 3_600_000_000L;

  private static final int TITLES = 1_000_000;
  private static final long ROWS_AN_HOUR = 400_000;
  private static final int FEWEST_HOURS = 40;
  private static final int MAX_HOURS = 168;
  static final long BEGIN = 1_767_225_600_000_000L; // 2026-01-01
  private static final double CYCLE = 0.3;
  private static final double NOISE = 0.05;
  private static final double EULER = 0.5772;

  /** Rises per hour, except in the hours at the start and at the end. */
  private static final double RISES_AN_HOUR = 5;

  /** Hours at the start and at the end without rises. */
  private static final int CALM = 10;

  /** Minimum hours between two rises of a title, so that its baseline recovers. */
  private static final int APART = 12;

  private static final double MIN_BASE = 5;
  private static final double GREATEST_BASE = 5_000;

  /** Titles with at least this many views per hour have counts drawn for each title. */
  private static final double HEAD = 0.5;

  /**
   * A planted rise.
   *
   * @param from start, microseconds since the epoch
   * @param to end, exclusive
   */
  record Rise(int rank, double base, double factor, long from, long to) {}

  /** Views of an hour: consecutive titles, with the time of each view. */
  static final class Hour {
    byte[] text = new byte[1 << 20];
    int[] ends = new int[1 << 16];
    long[] micros = new long[1 << 16];
    int rows;
  }

  private final Titles titles = new Titles(TITLES);
  private final int hours;
  private final double top;
  private final List<Rise> rises = new ArrayList<>();
  private final Map<Integer, List<Rise>> byHour = new HashMap<>();
  private final SplittableRandom random;
  private int[] ranks = new int[1 << 16];
  private int drawn;

  PageViews(long rows, long seed) {
    random = new SplittableRandom(seed);
    hours = (int) Math.max(FEWEST_HOURS, Math.min(MAX_HOURS, rows / ROWS_AN_HOUR));
    double views = (double) rows / hours / (Math.log(TITLES) + EULER);
    // The views of rises are subtracted from the rest, which changes the titles that can have
    // rises.
    top = views * (1 - plant(views) / rows);
    plant(top);
  }

  /** Plants rises again for a number of views of the top title; returns the views that they add. */
  private double plant(double views) {
    rises.clear();
    byHour.clear();
    boolean[][] taken = new boolean[TITLES][];
    int wanted = (int) (RISES_AN_HOUR * (hours - 2 * CALM));
    double planted = 0;
    for (int tries = 0; rises.size() < wanted && tries < 100 * wanted; tries++) {
      double base = MIN_BASE * Math.pow(GREATEST_BASE / MIN_BASE, random.nextDouble());
      int hour = CALM + random.nextInt(hours - 2 * CALM);
      int length = 2 + random.nextInt(4);
      int rank = (int) Math.round(views * cycle(hour) / base) - 1;
      if (rank >= 0 && rank < TITLES && isFree(taken, rank, hour, hour + length)) {
        long from = BEGIN + hour * HOUR + random.nextLong(HOUR);
        double factor = random.nextDouble(2, 20);
        Rise rise = new Rise(rank, base, factor, from, from + length * HOUR);
        rises.add(rise);
        for (int i = hour; i <= hour + length; i++) {
          taken[rank][i] = true;
          byHour.computeIfAbsent(i, none -> new ArrayList<>()).add(rise);
        }
        planted += base * (rise.factor - 1) * length;
      }
    }
    return planted;
  }

  /** Whether a title has no rise in a range of hours or close to it. */
  private boolean isFree(boolean[][] taken, int rank, int first, int last) {
    if (taken[rank] == null) {
      taken[rank] = new boolean[hours];
    }
    for (int i = Math.max(0, first - APART); i < Math.min(hours, last + APART); i++) {
      if (taken[rank][i]) {
        return false;
      }
    }
    return true;
  }

  private static double cycle(int hour) {
    return 1 + CYCLE * Math.sin(2 * Math.PI * hour / 24);
  }

  int hours() {
    return hours;
  }

  List<Rise> rises() {
    return rises;
  }

  String title(int rank) {
    return titles.text(rank);
  }

  /** Fills an hour; call it for the hours in order. */
  void next(int hour, Hour to) {
    drawn = 0;
    double cycle = cycle(hour);
    int head = (int) Math.min(TITLES, top / HEAD);
    for (int rank = 0; rank < head; rank++) {
      double mean = top / (rank + 1) * cycle;
      draw(rank, poisson(mean * Math.exp(NOISE * random.nextGaussian() - NOISE * NOISE / 2)));
    }
    int tail = poisson(top * cycle * Math.log((double) TITLES / head));
    double ratio = Math.log((double) TITLES / head);
    for (int i = 0; i < tail; i++) {
      int rank = (int) (head * Math.exp(ratio * random.nextDouble()));
      draw(Math.min(TITLES - 1, rank), 1);
    }
    long begin = BEGIN + hour * HOUR;
    for (Rise rise : byHour.getOrDefault(hour, List.of())) {
      long overlap = Math.min(rise.to, begin + HOUR) - Math.max(rise.from, begin);
      if (overlap > 0) {
        double mean = top / (rise.rank + 1) * cycle * (rise.factor - 1) * overlap / HOUR;
        draw(rise.rank, poisson(mean));
      }
    }
    write(begin, to);
  }

  private void draw(int rank, int count) {
    if (drawn + count > ranks.length) {
      ranks = Arrays.copyOf(ranks, Math.max(drawn + count, ranks.length * 2));
    }
    Arrays.fill(ranks, drawn, drawn + count, rank);
    drawn += count;
  }

  /** Shuffles the views of the hour and spreads them evenly over it. */
  private void write(long begin, Hour to) {
    if (to.ends.length < drawn) {
      to.ends = new int[ranks.length];
      to.micros = new long[ranks.length];
    }
    int end = 0;
    for (int i = 0; i < drawn; i++) {
      int other = i + random.nextInt(drawn - i);
      int rank = ranks[other];
      ranks[other] = ranks[i];
      if (end + 256 > to.text.length) {
        to.text = Arrays.copyOf(to.text, to.text.length * 2);
      }
      end = titles.copy(rank, to.text, end);
      to.ends[i] = end;
      to.micros[i] = begin + HOUR * i / drawn;
    }
    to.rows = drawn;
  }

  /** Knuth's algorithm for small means, the rounded normal distribution for others. */
  private int poisson(double mean) {
    if (mean > 50) {
      return (int) Math.max(0, Math.round(mean + Math.sqrt(mean) * random.nextGaussian()));
    }
    double limit = Math.exp(-mean);
    int count = -1;
    for (double product = 1; product > limit; product *= random.nextDouble()) {
      count++;
    }
    return count;
  }
}
