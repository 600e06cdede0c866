package io.millrace.analytics.gateway;

import java.io.Serializable;
import java.time.Duration;
import java.time.ZoneId;

/**
 * How records of gateways are added up.
 *
 * @param zone whose midnights divide the days
 * @param interval in which changes are emitted, and gateways compared
 * @param lateness how much older than a gateway's newest record another may be and still be put in
 *     its place
 * @param lateRecords newest records of a gateway among which it may be put, 1 to 64; they are state
 * @param dropLate whether records of running values and rates that are older than the newest are
 *     dropped at once, whatever the lateness
 * @param wrapAt value at which running values begin again at 0; 0 if they never do
 * @param maxGap longest time between two records over which anything is told
 * @param maxAhead how far in the future, compared with its arrival, a record may be
 * @param forget after how long without a record a gateway's state is given up
 * @param alertAbove robust z-score beyond which a gateway is flagged; 0 for never
 * @param alertGateways gateways whose usual ranges are kept, by each subtask
 */
public record GatewayDaysConfig(
    ZoneId zone,
    Duration interval,
    Duration lateness,
    int lateRecords,
    boolean dropLate,
    long wrapAt,
    Duration maxGap,
    Duration maxAhead,
    Duration forget,
    double alertAbove,
    int alertGateways)
    implements Serializable {
  private static final int MOST_LATE_RECORDS = 64;

  /** Checks the ranges. */
  public GatewayDaysConfig {
    between("interval", interval, Duration.ofMillis(10), Duration.ofHours(1));
    between("lateness", lateness, Duration.ZERO, Duration.ofDays(7));
    between("max-gap", maxGap, Duration.ofSeconds(1), Duration.ofDays(31));
    between("max-ahead", maxAhead, Duration.ZERO, Duration.ofDays(36_500));
    between("forget", forget, Duration.ofDays(1), Duration.ofDays(36_500));
    if (lateRecords < 1 || lateRecords > MOST_LATE_RECORDS) {
      throw new IllegalArgumentException(
          "late-records: " + lateRecords + " is not in 1 to " + MOST_LATE_RECORDS);
    }
    if (wrapAt < 0) {
      throw new IllegalArgumentException("wrap-at: " + wrapAt + " is less than 0");
    }
    if (alertAbove < 0 || !Double.isFinite(alertAbove)) {
      throw new IllegalArgumentException("alert-above: " + alertAbove + " is not 0 or more");
    }
    if (alertGateways < 0) {
      throw new IllegalArgumentException("alert-gateways: " + alertGateways + " is less than 0");
    }
  }

  /** The same for records of the past, of which nobody is alerted. */
  public GatewayDaysConfig withoutAlerts() {
    return new GatewayDaysConfig(
        zone, interval, lateness, lateRecords, dropLate, wrapAt, maxGap, maxAhead, forget, 0, 0);
  }

  private static void between(String key, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          key + ": " + value + " is not in " + least + " to " + most);
    }
  }

  /**
   * UTC; changes each second; 5 minutes of lateness among 8 records; 32-bit running values; a week
   * at most between two records; 100,000 usual ranges.
   */
  public static GatewayDaysConfig defaults() {
    return new GatewayDaysConfig(
        ZoneId.of("UTC"),
        Duration.ofSeconds(1),
        Duration.ofMinutes(5),
        8,
        false,
        1L << 32,
        Duration.ofDays(7),
        Duration.ofHours(1),
        Duration.ofDays(30),
        3.5,
        100_000);
  }
}
