package io.millrace.analytics.trend;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.usual.UsualRange;
import java.util.Arrays;

/**
 * Usual counts of keywords by hour of day, for an eighth of the capacity, 600 bytes per keyword.
 * Known keywords get an entry while there is space, and lose it after three weeks without counts.
 * Not thread-safe.
 */
final class UsualHours {
  private static final int HOUR = UsualRange.COLUMNS;
  private static final int COUNT = UsualRange.COLUMNS + 1;
  private static final long HOUR_MICROS = 3_600_000_000L;
  private static final int HOURS = 24;
  private static final int FORGOTTEN_AFTER = 21 * HOURS;

  private final ByteKeyTable table;
  private final UsualRange range;
  private final KeyGroups groups;
  private final double bucketsAnHour;
  private final int room;
  private final int[] sizes;
  private long hour = Long.MIN_VALUE;

  UsualHours(KeyGroups groups, long bucketMicros, int groupKeywords) {
    this.groups = groups;
    table = new ByteKeyTable(groups, UsualRange.COLUMNS + 2);
    range = new UsualRange(table::values);
    bucketsAnHour = (double) HOUR_MICROS / bucketMicros;
    room = Math.max(1, groupKeywords / 8);
    sizes = new int[groups.size()];
  }

  ByteKeyTable table() {
    return table;
  }

  void clear() {
    table.clear();
    hour = Long.MIN_VALUE;
  }

  /** Merges hours of keywords that have none here; those of two parts cannot be added. */
  void addAll(UsualHours other) {
    for (int entry = 0; entry < other.table.size(); entry++) {
      if (table.find(other.table, entry) < 0) {
        int own = table.entry(other.table, entry);
        for (int column = 0; column <= COUNT; column++) {
          table.values(column)[own] = other.table.values(column)[entry];
        }
      }
    }
  }

  void enter(long begin) {
    long next = Math.floorDiv(begin, HOUR_MICROS);
    if (next == hour) {
      return;
    }
    hour = next;
    Arrays.fill(sizes, 0);
    for (int entry = table.size() - 1; entry >= 0; entry--) {
      if (table.values(HOUR)[entry] < hour - FORGOTTEN_AFTER) {
        table.remove(entry);
      } else {
        sizes[group(table.hash(entry))] += KnownKeywords.places(table.keyLength(entry));
      }
    }
  }

  private int group(int hash) {
    return groups.groupOf(hash) - groups.first();
  }

  /**
   * Returns the usual count of a bucket of this hour, then adds the count to the hour.
   *
   * @param keyword an entry of another table
   * @param isKnown whether it may get an entry, which lasts for weeks
   * @return −1 if too few days are known
   */
  double take(ByteKeyTable keywords, int keyword, long count, boolean isKnown) {
    int entry = table.find(keywords, keyword);
    if (entry < 0) {
      int group = group(keywords.hash(keyword));
      if (!isKnown || sizes[group] >= room) {
        return -1;
      }
      sizes[group] += KnownKeywords.places(keywords.keyLength(keyword));
      entry = table.entry(keywords, keyword);
      range.begin(entry, Math.floorDiv(hour, HOURS));
      table.values(HOUR)[entry] = hour;
    }
    settle(entry);
    table.values(COUNT)[entry] += count;
    return expected(entry);
  }

  double expected(ByteKeyTable keywords, int keyword) {
    int entry = table.find(keywords, keyword);
    if (entry < 0) {
      return -1;
    }
    settle(entry);
    return expected(entry);
  }

  private double expected(int entry) {
    double usual = range.usualAt(entry, (int) Math.floorMod(hour, (long) HOURS));
    return usual < 0 ? -1 : usual / bucketsAnHour;
  }

  private void settle(int entry) {
    long before = table.values(HOUR)[entry];
    if (before < hour) {
      long count = table.values(COUNT)[entry];
      if (count > 0) {
        int ofDay = (int) Math.floorMod(before, (long) HOURS);
        range.take(entry, Math.floorDiv(before, HOURS), ofDay, count);
      }
      table.values(COUNT)[entry] = 0;
      table.values(HOUR)[entry] = hour;
    }
  }
}
