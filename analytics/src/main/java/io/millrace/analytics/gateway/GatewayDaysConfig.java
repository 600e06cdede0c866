package io.millrace.analytics.gateway;

import java.io.Serializable;
import java.time.Duration;
import java.time.ZoneId;

/**
 * Settings of {@link GatewayDays}.
 *
 * @param zone time zone of the days
 * @param interval output interval, also that of the comparison of gateways
 * @param allowedLateness maximum age of a record relative to its gateway's newest
 * @param lateRecords newest records of a gateway kept in state for late ones, 1 to 64
 * @param dropLate whether late records of running values and rates are dropped at once, whatever
 *     the allowed lateness
 * @param wrapAt value at which running values wrap to 0; 0 for never
 * @param maxGap maximum time between two records of an interval
 * @param maxAhead how far in the future, relative to its arrival, a record may be
 * @param forget idle timeout of a gateway's state
 * @param alertAbove robust z-score above which an hour is an alert; 0 for never
 * @param alertGateways maximum number of gateways with usual ranges, per subtask
 */
public record GatewayDaysConfig(
    ZoneId zone,
    Duration interval,
    Duration allowedLateness,
    int lateRecords,
    boolean dropLate,
    long wrapAt,
    Duration maxGap,
    Duration maxAhead,
    Duration forget,
    double alertAbove,
    int alertGateways)
    implements Serializable {
  private static final int MAX_LATE_RECORDS = 64;

  /** Checks the ranges. */
  public GatewayDaysConfig {
    between("interval", interval, Duration.ofMillis(10), Duration.ofHours(1));
    between("allowed-lateness", allowedLateness, Duration.ZERO, Duration.ofDays(7));
    between("max-gap", maxGap, Duration.ofSeconds(1), Duration.ofDays(31));
    between("max-ahead", maxAhead, Duration.ZERO, Duration.ofDays(36_500));
    between("forget", forget, Duration.ofDays(1), Duration.ofDays(36_500));
    if (lateRecords < 1 || lateRecords > MAX_LATE_RECORDS) {
      throw new IllegalArgumentException(
          "late-records: " + lateRecords + ", expected 1 to " + MAX_LATE_RECORDS);
    }
    if (wrapAt < 0) {
      throw new IllegalArgumentException("wrap-at: " + wrapAt + ", expected 0 or more");
    }
    if (alertAbove < 0 || !Double.isFinite(alertAbove)) {
      throw new IllegalArgumentException("alert-above: " + alertAbove + ", expected 0 or more");
    }
    if (alertGateways < 0) {
      throw new IllegalArgumentException(
          "alert-gateways: " + alertGateways + ", expected 0 or more");
    }
  }

  /** Settings without alerts, for a backfill. */
  public GatewayDaysConfig withoutAlerts() {
    return new GatewayDaysConfig(
        zone,
        interval,
        allowedLateness,
        lateRecords,
        dropLate,
        wrapAt,
        maxGap,
        maxAhead,
        forget,
        0,
        0);
  }

  private static void between(String key, Duration value, Duration min, Duration max) {
    if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
      throw new IllegalArgumentException(key + ": " + value + ", expected " + min + " to " + max);
    }
  }

  /**
   * UTC; output each second; 5 minutes of allowed lateness among 8 records; 32-bit running values;
   * at most a week between two records; 100,000 usual ranges.
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
