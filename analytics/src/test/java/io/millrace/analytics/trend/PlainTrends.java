package io.millrace.analytics.trend;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Straightforward implementation with maps and lists, for a watermark that starts at 0. */
final class PlainTrends {
  record Row(long micros, String keyword, long count) {}

  private PlainTrends() {}

  static List<Trend> of(List<Row> rows, TrendSettings settings) {
    long length = settings.bucketMicros();
    int k = settings.buckets();
    TreeMap<Long, Map<String, Long>> byBucket = new TreeMap<>();
    Set<String> keywords = new HashSet<>();
    for (Row row : rows) {
      byBucket
          .computeIfAbsent(Math.floorDiv(row.micros(), length), none -> new HashMap<>())
          .merge(row.keyword(), row.count(), Long::sum);
      keywords.add(row.keyword());
    }
    TrendModel model = new TrendModel(settings);
    List<Trend> trends = new ArrayList<>();
    for (String keyword : keywords) {
      Map<Long, Long> known = new HashMap<>();
      for (long bucket = 0; bucket <= byBucket.lastKey(); bucket++) {
        long count = byBucket.getOrDefault(bucket, Map.of()).getOrDefault(keyword, 0L);
        List<Long> series = new ArrayList<>();
        for (long before = bucket - k; before < bucket; before++) {
          series.add(known.getOrDefault(before, 0L));
        }
        long sum = series.stream().mapToLong(Long::longValue).sum();
        boolean isKnown = sum > 0;
        if (isKnown || count > settings.prior()) {
          known.put(bucket, count);
        }
        double expectation = model.expectation(sum);
        TrendKind kind =
            model.isRise(count, expectation)
                ? isKnown ? TrendKind.RISE : TrendKind.NEW
                : isKnown && model.isFall(count, expectation) ? TrendKind.FALL : null;
        if (kind != null && bucket > k) {
          series.add(count);
          trends.add(
              new Trend(
                  bucket * length,
                  keyword,
                  count,
                  expectation,
                  model.lower(expectation),
                  model.upper(expectation),
                  model.score(count, expectation),
                  kind,
                  series));
        }
      }
    }
    trends.sort(Comparator.comparingLong(Trend::begin).thenComparing(Trend::keyword));
    return trends;
  }
}
