package io.millrace.analytics.gateway;

import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * Converts times to days of a time zone, by a division in UTC and otherwise by cached starts of
 * days.
 */
final class DayClock {
  static final long DAY_MILLIS = 86_400_000;

  private static final int FIRST_DAY = 10_900;

  private static final int LAST_DAY = 47_500;

  private final ZoneId zone;

  /** Start of each day in ms; 0 if not cached yet; null in UTC. */
  private final long[] starts;

  DayClock(ZoneId zone) {
    this.zone = zone;
    boolean isUtc = zone.normalized().equals(ZoneOffset.UTC);
    starts = isUtc ? null : new long[LAST_DAY - FIRST_DAY + 1];
  }

  /** Day of a time, milliseconds since the epoch. */
  long dayOf(long millis) {
    long utcDay = Math.floorDiv(millis, DAY_MILLIS);
    if (starts == null) {
      return utcDay;
    }
    long day = utcDay; // the zone's day is the UTC day or an adjacent one
    while (millis < startOf(day)) {
      day--;
    }
    while (millis >= startOf(day + 1)) {
      day++;
    }
    return day;
  }

  /** Start of a day, milliseconds since the epoch. */
  long startOf(long day) {
    if (starts == null) {
      return day * DAY_MILLIS;
    }
    if (day < FIRST_DAY || day > LAST_DAY) {
      return lookUp(day);
    }
    int at = (int) day - FIRST_DAY;
    if (starts[at] == 0) {
      starts[at] = lookUp(day);
    }
    return starts[at];
  }

  private long lookUp(long day) {
    return LocalDate.ofEpochDay(day).atStartOfDay(zone).toInstant().toEpochMilli();
  }

  /** Hour of a day, 0 to 23; the 25th of a long day counts as its last. */
  int hourOf(long day, long millis) {
    return (int) Math.min(23, (millis - startOf(day)) / 3_600_000);
  }
}
