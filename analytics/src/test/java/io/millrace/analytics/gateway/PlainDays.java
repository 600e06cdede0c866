package io.millrace.analytics.gateway;

import io.millrace.wire.record.GatewayForm;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Totals of days by their definition, from all records in memory. First selects the counted
 * records, in order of arrival. Then processes each series in order of time: consecutive pairs,
 * each divided at midnights with exact fractions.
 */
final class PlainDays {
  private record SeriesKey(String gateway, GatewayForm form) {}

  private record DayKey(LocalDate day, String gateway) {}

  /** tx, rx, milliseconds, records, late, dropped, duplicate. */
  private static final class Totals {
    private final long[] values = new long[7];
  }

  private final GatewayDaysConfig config;
  private final Map<SeriesKey, TreeMap<Long, GatewayRecord>> series = new HashMap<>();
  private final Map<DayKey, Totals> days = new HashMap<>();

  PlainDays(GatewayDaysConfig config, List<GatewayRecord> records) {
    this.config = config;
    records.forEach(this::take);
    series.forEach((key, sorted) -> addUp(key, new ArrayList<>(sorted.values())));
  }

  /** Rows by day and gateway, as {@link GatewayDays#DAYS} has them. */
  Map<String, String> rows() {
    Map<String, String> rows = new TreeMap<>();
    days.forEach(
        (key, totals) -> {
          long[] v = totals.values;
          rows.put(
              key.day + " " + key.gateway,
              "%d %d %s %d %d %d %d"
                  .formatted(v[0], v[1], Double.toString(v[2] / 1e3), v[3], v[4], v[5], v[6]));
        });
    return rows;
  }

  private Totals day(long millis, String gateway) {
    LocalDate day = Instant.ofEpochMilli(millis).atZone(config.zone()).toLocalDate();
    return days.computeIfAbsent(new DayKey(day, gateway), none -> new Totals());
  }

  private void take(GatewayRecord record) {
    long arrival = GatewayRecord.ARRIVAL_MICROS / 1_000;
    if (record.millis() > arrival + config.maxAhead().toMillis()) {
      day(record.millis(), record.gateway()).values[5]++; // its own
      return;
    }
    SeriesKey key = new SeriesKey(record.gateway(), record.form());
    TreeMap<Long, GatewayRecord> own = series.get(key);
    if (own == null) {
      for (GatewayForm form : GatewayForm.ALL) {
        TreeMap<Long, GatewayRecord> other = series.get(new SeriesKey(record.gateway(), form));
        if (other != null && isTooLate(record, other)) {
          day(other.lastKey(), record.gateway()).values[5]++;
          return;
        }
      }
      series.computeIfAbsent(key, none -> new TreeMap<>()).put(record.millis(), record);
      return;
    }
    long newest = own.lastKey();
    if (record.millis() < newest) {
      boolean dropsAll = config.dropLate() && record.form() != GatewayForm.COUNTER;
      if (dropsAll || isTooLate(record, own)) {
        day(newest, record.gateway()).values[5]++;
        return;
      }
    }
    if (own.containsKey(record.millis())) {
      day(record.millis(), record.gateway()).values[6]++;
      return;
    }
    if (record.millis() < newest) {
      day(record.millis(), record.gateway()).values[4]++;
    }
    own.put(record.millis(), record);
  }

  private boolean isTooLate(GatewayRecord record, NavigableMap<Long, GatewayRecord> sorted) {
    if (record.millis() < sorted.lastKey() - config.allowedLateness().toMillis()) {
      return true;
    }
    int kept = config.lateRecords();
    return sorted.size() >= kept
        && record.millis() < sorted.descendingKeySet().stream().skip(kept - 1).findFirst().get();
  }

  private void addUp(SeriesKey key, List<GatewayRecord> sorted) {
    for (int i = 0; i < sorted.size(); i++) {
      GatewayRecord now = sorted.get(i);
      day(now.millis(), key.gateway).values[3]++;
      GatewayRecord before = i == 0 ? null : sorted.get(i - 1);
      if (before == null || now.millis() - before.millis() > config.maxGap().toMillis()) {
        if (key.form == GatewayForm.COUNTER) {
          day(now.millis(), key.gateway).values[0] += now.tx();
          day(now.millis(), key.gateway).values[1] += now.rx();
        }
        continue;
      }
      long gap = now.millis() - before.millis();
      long[] amounts =
          switch (key.form) {
            case COUNTER -> new long[] {now.tx(), now.rx()};
            case RATE -> new long[] {rate(now.tx(), gap), rate(now.rx(), gap)};
            case CUMULATIVE -> differences(before, now);
          };
      divide(key.gateway, before.millis(), now.millis(), amounts);
    }
  }

  private static long rate(long rate, long gap) {
    return BigInteger.valueOf(rate)
        .multiply(BigInteger.valueOf(gap))
        .divide(BigInteger.valueOf(1_000))
        .longValueExact();
  }

  /** As docs/gateways.md describes under "a running value falls". */
  private long[] differences(GatewayRecord before, GatewayRecord now) {
    boolean txFalls = now.tx() < before.tx();
    boolean rxFalls = now.rx() < before.rx();
    if (!txFalls && !rxFalls) {
      return new long[] {now.tx() - before.tx(), now.rx() - before.rx()};
    }
    long[] sinceItStarted = {now.tx(), now.rx()};
    if (txFalls && rxFalls) {
      return sinceItStarted;
    }
    long fallenFrom = txFalls ? before.tx() : before.rx();
    long fallenTo = txFalls ? now.tx() : now.rx();
    long toTheWrap = config.wrapAt() - fallenFrom;
    long overTheWrap = toTheWrap + fallenTo;
    if (toTheWrap <= 0 || 2 * overTheWrap > config.wrapAt()) {
      return sinceItStarted;
    }
    return txFalls
        ? new long[] {overTheWrap, now.rx() - before.rx()}
        : new long[] {now.tx() - before.tx(), overTheWrap};
  }

  private void divide(String gateway, long from, long to, long[] amounts) {
    long start = from;
    while (start < to) {
      LocalDate day = Instant.ofEpochMilli(start).atZone(config.zone()).toLocalDate();
      long end =
          Math.min(to, day.plusDays(1).atStartOfDay(config.zone()).toInstant().toEpochMilli());
      Totals totals = day(start, gateway);
      for (int i = 0; i < 2; i++) {
        totals.values[i] +=
            until(amounts[i], end - from, to - from) - until(amounts[i], start - from, to - from);
      }
      totals.values[2] += end - start;
      start = end;
    }
  }

  private static long until(long amount, long elapsed, long gap) {
    return BigInteger.valueOf(amount)
        .multiply(BigInteger.valueOf(elapsed))
        .divide(BigInteger.valueOf(gap))
        .longValueExact();
  }
}
