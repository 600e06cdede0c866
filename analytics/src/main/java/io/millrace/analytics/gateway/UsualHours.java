package io.millrace.analytics.gateway;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.usual.UsualRange;

/** Usual hours of series, part of a state: 600 bytes per series, bounded. Not thread-safe. */
final class UsualHours {
  private final KeyTable table;
  private final UsualRange range;
  private final int max;

  UsualHours(KeyGroups groups, int max) {
    table = new KeyTable(groups, 2, UsualRange.COLUMNS);
    range = new UsualRange(table::values);
    this.max = max;
  }

  KeyTable table() {
    return table;
  }

  /** See {@link UsualRange#take}; returns 0 also for a series beyond the limit. */
  double take(int hash, long first, long second, long day, int hour, long bytes) {
    int entry = table.find(hash, first, second);
    if (entry < 0) {
      if (table.size() >= max) {
        return 0;
      }
      entry = table.entry(hash, first, second);
      range.begin(entry, day);
    }
    return range.take(entry, day, hour, bytes);
  }

  long usual() {
    return range.usual();
  }
}
