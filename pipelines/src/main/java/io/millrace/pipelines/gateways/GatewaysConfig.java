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
 * @param records external topic of the records; {@link RecordTopic#NONE} for those over HTTP
 * @param slots subtasks of each step
 * @param interval in which changes are written, and gateways compared
 * @param zone time zone whose midnights divide the days
 * @param allowedLateness how much older than a gateway's newest record another may be and still be
 *     inserted
 * @param lateRecords newest records of a gateway among which it may be inserted
 * @param late handling of out-of-order records of running values and rates
 * @param wrapAt value at which running values restart at 0; 0 if they never do
 * @param maxGap longest time between two records that is evaluated
 * @param maxAhead how far in the future a record may be
 * @param forget time without a record after which a gateway's state is dropped
 * @param alertAbove robust z-score beyond which an hour of a gateway is flagged; 0 for never
 * @param alertGateways gateways whose usual ranges are kept, per subtask
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
    /** It is inserted, and the total is as if it had been in order. */
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

  /** Not enabled; all else as {@link GatewayDaysConfig#defaults}. */
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
