package io.millrace.traffic.fleet;

import io.millrace.wire.record.GatewayForm;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/**
 * Configuration of the gateways and their faults. The same settings give the same records.
 *
 * @param gateways number of gateways, 1 to 10,000,000
 * @param start of the first minute
 * @param minutes duration; each gateway sends about one record per minute
 * @param form of the numbers
 * @param wrapAt value at which running values wrap to 0
 * @param seed of all choices
 * @param missing share of records that are never sent
 * @param late share of records that arrive out of order, up to four minutes late
 * @param twice share of duplicate records
 * @param resets share of records before which the gateway has restarted
 * @param silentDays share of days without records of a gateway
 */
@RecordBuilder
public record FleetConfig(
    int gateways,
    Instant start,
    int minutes,
    GatewayForm form,
    long wrapAt,
    long seed,
    double missing,
    double late,
    double twice,
    double resets,
    double silentDays)
    implements FleetConfigBuilder.With {
  private static final int MAX_GATEWAYS = 10_000_000;

  public FleetConfig {
    if (gateways < 1 || gateways > MAX_GATEWAYS) {
      throw new IllegalArgumentException(
          "gateways: " + gateways + ", expected 1 to " + MAX_GATEWAYS);
    }
    if (minutes < 1) {
      throw new IllegalArgumentException("minutes: " + minutes + ", expected at least 1");
    }
    if (wrapAt < 1 << 16) {
      throw new IllegalArgumentException("maximum: " + wrapAt + ", expected at least 65536");
    }
  }

  /** Settings with all kinds of faults, each of them rare. */
  public static FleetConfig of(int gateways, Instant start, int minutes, GatewayForm form) {
    return new FleetConfig(
        gateways, start, minutes, form, 1L << 32, 1, 0.01, 0.01, 0.005, 0.0005, 0.02);
  }
}
