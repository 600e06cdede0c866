package io.millrace.pipelines.gateways;

import io.millrace.analytics.gateway.GatewayDaysConfig;
import io.millrace.pipelines.JobSettings;
import io.millrace.pipelines.RecordTopic;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.Serializable;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;

/**
 * Settings of gateway telemetry.
 *
 * @param enabled whether the job runs
 * @param records external topic of the records; {@link RecordTopic#NONE} for records over HTTP
 * @param slots number of subtasks of each step
 * @param interval at which changes are written and gateways compared
 * @param zone time zone whose midnights divide the days
 * @param allowedLateness maximum age of an inserted record relative to the gateway's newest
 * @param lateRecords number of newest records of a gateway among which a late one may be inserted
 * @param late handling of out-of-order records of running values and rates
 * @param wrapAt value at which running values restart at 0; 0 if they never do
 * @param maxGap maximum time between two records for an interval
 * @param maxAhead maximum time by which a record may be ahead of its arrival
 * @param forget time without a record after which a gateway's state is deleted
 * @param alertAbove robust z-score beyond which an hour of a gateway is flagged; 0 to disable
 * @param alertGateways number of gateways per subtask whose usual ranges are kept
 */
@RecordBuilder
public record GatewaysConfig(
    boolean enabled,
    RecordTopic records,
    int slots,
    Duration interval,
    String zone,
    Duration allowedLateness,
    int lateRecords,
    LateRule late,
    long wrapAt,
    Duration maxGap,
    Duration maxAhead,
    Duration forget,
    double alertAbove,
    int alertGateways)
    implements GatewaysConfigBuilder.With, Serializable {

  /** Handling of an out-of-order record of a running value or a rate. */
  public enum LateRule {
    /** Insert it: the total is the same as if it had arrived in order. */
    EXACT,
    /** Drop and count it, as on the published platform. */
    DROP
  }

  public GatewaysConfig {
    JobSettings.checkSlots(slots);
    days(
        interval,
        zone,
        allowedLateness,
        lateRecords,
        late,
        wrapAt,
        maxGap,
        maxAhead,
        forget,
        alertAbove,
        alertGateways);
  }

  /** Disabled; otherwise {@link GatewayDaysConfig#defaults}. */
  public static GatewaysConfig defaults() {
    GatewayDaysConfig days = GatewayDaysConfig.defaults();
    return new GatewaysConfig(
        false,
        RecordTopic.NONE,
        1,
        days.interval(),
        days.zone().getId(),
        days.allowedLateness(),
        days.lateRecords(),
        LateRule.EXACT,
        days.wrapAt(),
        days.maxGap(),
        days.maxAhead(),
        days.forget(),
        days.alertAbove(),
        days.alertGateways());
  }

  /** Settings of the sums. */
  public GatewayDaysConfig days() {
    return days(
        interval,
        zone,
        allowedLateness,
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
      Duration allowedLateness,
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
          "zone: '" + zone + "' is not a time zone, expected UTC or Europe/Berlin", e);
    }
    return new GatewayDaysConfig(
        id,
        interval,
        allowedLateness,
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
