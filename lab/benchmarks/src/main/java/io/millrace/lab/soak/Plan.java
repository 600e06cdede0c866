package io.millrace.lab.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Schedule of events, in seconds after the start: all of it follows from a seed and the length of
 * the run.
 *
 * <p>Kills come in the first 60% of the time, at random; the life after them is long enough to see
 * whether memory rises. Floods come all the time but for the end, which is calm, so that what is on
 * its way can arrive.
 *
 * @param kills moments
 * @param floods moments at which a burst of {@link #floodSeconds} begins
 * @param templateFloods moments at which templates are sent in a burst
 * @param floodSeconds length of a burst
 * @param calm moment from which there is only the steady load
 * @param end of the load
 */
record Plan(
    List<Double> kills,
    List<Double> floods,
    List<Double> templateFloods,
    double floodSeconds,
    double calm,
    double end) {
  private static final double KILLS_UNTIL = 0.6;
  private static final double LONGEST_LIFE = 90;
  private static final double SHORTEST_LIFE = 10;

  static Plan of(long seed, int seconds) {
    SplittableRandom random = new SplittableRandom(seed);
    double calm = seconds * 0.85;
    double life = Math.max(SHORTEST_LIFE, Math.min(LONGEST_LIFE, seconds / 8.0));
    return new Plan(
        moments(random, SHORTEST_LIFE / 2, life, seconds * KILLS_UNTIL),
        moments(random, life / 4, life, calm),
        moments(random, life / 4, life, calm),
        Math.min(4, seconds / 20.0),
        calm,
        seconds);
  }

  private static List<Double> moments(
      SplittableRandom random, double least, double most, double until) {
    List<Double> moments = new ArrayList<>();
    for (double at = random.nextDouble(least, most); at < until; ) {
      moments.add(at);
      at += random.nextDouble(least, most);
    }
    return moments;
  }

  /** Whether a flood goes on at a moment. */
  boolean isFlood(double second) {
    return floods.stream().anyMatch(from -> from <= second && second < from + floodSeconds);
  }
}
