package io.millrace.lab.week;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Whether what was seen stays level: the mean of the last days against that of the first days after
 * retention has set in.
 */
final class Level {
  /** Days of either mean. */
  private static final int SPAN = 2;

  private Level() {}

  /**
   * What grew, in words; empty if nothing did.
   *
   * @param days those from which on everything has been removed once, in order; at least three
   */
  static List<String> growth(List<Day> days) {
    List<String> grew = new ArrayList<>();
    check(grew, "the store's size", days, Day::storeBytes, 1.15, 1 << 20);
    check(grew, "memory", days, Day::usedBytes, 1.2, 64 << 20);
    check(grew, "freshness", days, Day::freshMillis, 1.5, 50);
    check(grew, "query latency", days, Day::queryMillis, 1.5, 10);
    return grew;
  }

  private static void check(
      List<String> grew,
      String what,
      List<Day> days,
      ToDoubleFunction<Day> value,
      double factor,
      double slack) {
    int span = Math.min(SPAN, days.size() / 2);
    double first = mean(days.subList(0, span), value);
    double last = mean(days.subList(days.size() - span, days.size()), value);
    if (last > first * factor + slack) {
      grew.add(String.format(Locale.ROOT, "%s grew from %,.0f to %,.0f", what, first, last));
    }
  }

  private static double mean(List<Day> days, ToDoubleFunction<Day> value) {
    return days.stream().mapToDouble(value).average().orElse(0);
  }
}
