package io.millrace.pipelines.gateways;

import io.millrace.analytics.gateway.GatewayDaysConfig;
import io.millrace.pipelines.JobSettings;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.Serializable;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;

/**
 * Telemetry of gateways as it is configured.
 *
 * @param enabled whether the job runs
 * @param slots subtasks of each step
 * @param interval in which changes are written, and gateways compared
 * @param zone time zone whose midnights divide the days
 * @param lateness how much older than a gateway's newest record another may be and still be put in
 *     its place
 * @param lateRecords newest records of a gateway among which it may be put
 * @param late what is done with records of running values and rates that come out of order
 * @param wrapAt value at which running values begin again at 0; 0 if they never do
 * @param maxGap longest time between two records over which anything is told
 * @param maxAhead how far in the future a record may be
 * @param forget after how long without a record a gateway's state is given up
 * @param alertAbove robust z-score beyond which an hour of a gateway is flagged; 0 for never
 * @param alertGateways gateways whose usual ranges are kept, by each subtask
 */
@RecordBuilder
public record GatewaysConfig(
    boolean enabled,
    int slots,
    Duration interval,
    String zone,
    Duration lateness,
    int lateRecords,
    LateRule late,
    long wrapAt,
    Duration maxGap,
    Duration maxAhead,
    Duration forget,
    double alertAbove,
    int alertGateways)
    implements GatewaysConfigBuilder.With, Serializable {

  /** What is done with a record of a running value or a rate that comes out of order. */
  public enum LateRule {
    /** It is put in its place, and the total is what it would have been. */
    EXACT,
    /** It is dropped and counted: as on the published platform. */
    DROP
  }

  /** Checks each value. */
  public GatewaysConfig {
    JobSettings.checkSlots(slots);
    days(
        interval,
        zone,
        lateness,
        lateRecords,
        late,
        wrapAt,
        maxGap,
        maxAhead,
        forget,
        alertAbove,
        alertGateways);
  }

  /** Not enabled; all else as {@link GatewayDaysConfig#defaults}. */
  public static GatewaysConfig defaults() {
    GatewayDaysConfig days = GatewayDaysConfig.defaults();
    return new GatewaysConfig(
        false,
        1,
        days.interval(),
        days.zone().getId(),
        days.lateness(),
        days.lateRecords(),
        LateRule.EXACT,
        days.wrapAt(),
        days.maxGap(),
        days.maxAhead(),
        days.forget(),
        days.alertAbove(),
        days.alertGateways());
  }

  /** How records are added up. */
  public GatewayDaysConfig days() {
    return days(
        interval,
        zone,
        lateness,
        lateRecords,
        late,
        wrapAt,
        maxGap,
        maxAhead,
        forget,
        alertAbove,
        alertGateways);
  }

  private static GatewayDaysConfig days(
      Duration interval,
      String zone,
      Duration lateness,
      int lateRecords,
      LateRule late,
      long wrapAt,
      Duration maxGap,
      Duration maxAhead,
      Duration forget,
      double alertAbove,
      int alertGateways) {
    ZoneId id;
    try {
      id = ZoneId.of(zone);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "zone: '" + zone + "' is no time zone, write UTC or Europe/Berlin", e);
    }
    return new GatewayDaysConfig(
        id,
        interval,
        lateness,
        lateRecords,
        late == LateRule.DROP,
        wrapAt,
        maxGap,
        maxAhead,
        forget,
        alertAbove,
        alertGateways);
  }
}
