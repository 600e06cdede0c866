package io.millrace.lab.week;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Checks that measurements do not grow, by comparing the mean of the last days with that of the
 * first days of full retention.
 */
final class Level {
  /** Number of days averaged. */
  private static final int SPAN = 2;

  private Level() {}

  /**
   * Describes the measurements that grew.
   *
   * @param days at least three days, in order, from the first one of full retention
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
