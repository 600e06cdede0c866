package io.millrace.pipelines.trends;

import io.millrace.analytics.trend.TrendSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Independent implementation of docs/trends.md: the model, its decisions, and lateness. Keeps all
 * counts in maps.
 */
final class DocumentedTrends {
  /** A line of a file. */
  record Line(long micros, String keyword, long count) {}

  private final TrendSettings settings;
  private final NavigableMap<Long, Map<String, Long>> buckets = new TreeMap<>();
  private long late;

  private DocumentedTrends(TrendSettings settings) {
    this.settings = settings;
  }

  /** Trends as text: bucket, keyword, count, series and kind; unordered. */
  static Set<String> of(List<Line> lines, TrendSettings settings, long watermarkDelay) {
    DocumentedTrends trends = new DocumentedTrends(settings);
    trends.count(lines, watermarkDelay);
    return trends.judged();
  }

  /** Number of dropped lines. */
  static long late(List<Line> lines, TrendSettings settings, long watermarkDelay) {
    DocumentedTrends trends = new DocumentedTrends(settings);
    trends.count(lines, watermarkDelay);
    return trends.late;
  }

  /**
   * A bucket is evaluated when it has ended and the watermark delay has passed; later lines are
   * late.
   */
  private void count(List<Line> lines, long watermarkDelay) {
    long newest = Long.MIN_VALUE;
    for (Line line : lines) {
      newest = Math.max(newest, line.micros());
      long bucket = Math.floorDiv(line.micros(), settings.bucketMicros());
      boolean isJudged = (bucket + 1) * settings.bucketMicros() + watermarkDelay <= newest;
      if (isJudged) {
        late++;
      } else {
        buckets
            .computeIfAbsent(bucket, none -> new HashMap<>())
            .merge(line.keyword(), line.count(), Long::sum);
      }
    }
  }

  /** The first bucket is incomplete, and the next ones are for training. */
  private Set<String> judged() {
    Set<String> keywords = new HashSet<>();
    buckets.values().forEach(counts -> keywords.addAll(counts.keySet()));
    Set<String> trends = new HashSet<>();
    for (String keyword : keywords) {
      judge(keyword, trends);
    }
    return trends;
  }

  private void judge(String keyword, Set<String> trends) {
    int k = settings.buckets();
    Map<Long, Long> known = new HashMap<>();
    for (long bucket = buckets.firstKey(); bucket <= buckets.lastKey(); bucket++) {
      long count = buckets.getOrDefault(bucket, Map.of()).getOrDefault(keyword, 0L);
      List<Long> series = new ArrayList<>();
      for (long before = bucket - k; before < bucket; before++) {
        series.add(known.getOrDefault(before, 0L));
      }
      long sum = series.stream().mapToLong(each -> each).sum();
      if (sum > 0 || count > settings.prior()) {
        known.put(bucket, count); // known from the first bucket with more than the prior
      }
      if (bucket <= buckets.firstKey() + k) {
        continue;
      }
      double expected = Math.max(settings.prior(), (double) sum / k);
      double half = (upper(expected) - lower(expected)) / 2;
      double score = (count - expected) / half;
      String kind = null;
      if (score > settings.eta() && count >= settings.factor() * expected) {
        kind = sum > 0 ? "rise" : "new";
      } else if (settings.falls()
          && sum > 0
          && score < -settings.eta()
          && count * settings.factor() <= expected) {
        kind = "fall";
      }
      if (kind != null) {
        series.add(count);
        trends.add(bucket * settings.bucketMicros() + " " + keyword + " " + series + " " + kind);
      }
    }
  }

  private double lower(double expected) {
    double alpha = 1 - settings.confidence();
    return quantile(expected, alpha / 2);
  }

  private double upper(double expected) {
    double alpha = 1 - settings.confidence();
    return quantile(expected + 1, 1 - alpha / 2);
  }

  /** ½ χ²(p; 2 shape): quantile of the gamma distribution of that shape, by bisection. */
  private static double quantile(double shape, double p) {
    double low = 0;
    double high = 10 * shape + 100;
    for (int i = 0; i < 200; i++) {
      double middle = (low + high) / 2;
      if (passed(shape, middle) < p) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The regularised incomplete gamma function P(shape, x), by its series. */
  private static double passed(double shape, double x) {
    if (x <= 0) {
      return 0;
    }
    double term = 1 / shape;
    double sum = term;
    for (int n = 1; n < 10_000 && term > sum * 1e-16; n++) {
      term *= x / (shape + n);
      sum += term;
    }
    return Math.min(1, sum * Math.exp(-x + shape * Math.log(x) - logGamma(shape)));
  }

  /** Stirling's series after the recurrence. */
  private static double logGamma(double x) {
    double shift = 0;
    double z = x;
    while (z < 20) {
      shift += Math.log(z);
      z++;
    }
    double inverse = 1 / (z * z);
    double series = (1.0 / 12 - inverse * (1.0 / 360 - inverse / 1260)) / z;
    return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - shift;
  }
}
