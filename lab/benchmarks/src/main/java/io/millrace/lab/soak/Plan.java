package io.millrace.lab.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Schedule of events, in seconds after the start, determined by a seed and the length of the run.
 *
 * <p>Kills occur at random in the first 60% of the time; the life after them is long enough to show
 * whether memory rises. Floods occur until the calm at the end, in which data in flight can arrive.
 *
 * @param kills times of the kills
 * @param floods times at which a burst of {@link #floodSeconds} begins
 * @param templateFloods times at which a burst of templates is sent
 * @param floodSeconds length of a burst
 * @param calm time from which there is only the steady load
 * @param end end of the load
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

  /** Whether a burst is under way at a time. */
  boolean isFlood(double second) {
    return floods.stream().anyMatch(from -> from <= second && second < from + floodSeconds);
  }
}
