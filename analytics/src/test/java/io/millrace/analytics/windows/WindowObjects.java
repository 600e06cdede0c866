package io.millrace.analytics.windows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The model: each window separately, and each row added to every window that contains it. */
final class WindowObjects {
  private final SlidingWindows windows;

  /** By end, then by key. */
  private final TreeMap<Long, TreeMap<Long, Long>> sums = new TreeMap<>();

  private long watermark = Long.MIN_VALUE;

  WindowObjects(SlidingWindows windows) {
    this.windows = windows;
  }

  boolean add(long micros, long key, long amount) {
    boolean isLate = true;
    long first = Math.floorDiv(micros, windows.slide()) * windows.slide();
    for (long begin = first; begin > micros - windows.size(); begin -= windows.slide()) {
      long end = begin + windows.size();
      if (end - 1 > watermark) {
        sums.computeIfAbsent(end, e -> new TreeMap<>()).merge(key, amount, Long::sum);
        isLate = false;
      }
    }
    return !isLate;
  }

  List<String> advance(long micros) {
    watermark = Math.max(watermark, micros);
    List<String> rows = new ArrayList<>();
    while (!sums.isEmpty() && sums.firstKey() - 1 <= watermark) {
      Map.Entry<Long, TreeMap<Long, Long>> window = sums.pollFirstEntry();
      window.getValue().forEach((key, sum) -> rows.add(window.getKey() + " " + key + " " + sum));
    }
    return rows;
  }
}
