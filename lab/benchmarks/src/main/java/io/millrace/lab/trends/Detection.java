package io.millrace.lab.trends;

import io.millrace.analytics.trend.Trend;
import io.millrace.lab.harness.BenchContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares detected trends with planted rises. The first trend of a title in a bucket that overlaps
 * a rise finds it; further ones are ignored, all others are false positives.
 */
final class Detection {
  private final long bucketMicros;
  private final Map<String, List<PageViews.Rise>> planted = new HashMap<>();
  private final Set<PageViews.Rise> found = new HashSet<>();
  private final List<Double> delays = new ArrayList<>();
  private int onsets;
  private int falses;

  Detection(PageViews views, long bucketMicros) {
    this.bucketMicros = bucketMicros;
    for (PageViews.Rise rise : views.rises()) {
      planted.computeIfAbsent(views.title(rise.rank()), none -> new ArrayList<>()).add(rise);
      onsets++;
    }
  }

  void take(List<Trend> trends) {
    for (Trend trend : trends) {
      long end = trend.begin() + bucketMicros;
      PageViews.Rise hit = null;
      for (PageViews.Rise rise : planted.getOrDefault(trend.keyword(), List.of())) {
        hit = rise.from() < end && rise.to() > trend.begin() ? rise : hit;
      }
      if (hit == null) {
        falses++;
      } else if (found.add(hit)) {
        delays.add((end - hit.from()) / 1e3);
      }
    }
  }

  int onsets() {
    return onsets;
  }

  double recall() {
    return (double) found.size() / onsets;
  }

  double precision() {
    return (double) found.size() / Math.max(1, found.size() + falses);
  }

  /** Median time from the onset to the end of the bucket that shows it, in milliseconds. */
  double delay() {
    return delays.isEmpty()
        ? Double.NaN
        : BenchContext.median(delays.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
