package io.millrace.wire.netflow;

import io.millrace.wire.packet.IpLayer;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Objects;

/**
 * Limits on the state of a {@link NetflowDecoder}. All times are arrival times in the stream, so
 * that a replay gives the same rows.
 *
 * @param maxSessions sessions with templates
 * @param maxTemplates templates per session, and samplers per session
 * @param maxAllTemplates templates of all sessions (one with many fields counts as several), and
 *     samplers of all sessions
 * @param maxFields fields per template
 * @param maxHeldBytes memory for data without template, of all sessions; a snapshot takes less
 * @param senderShare divisor of the global limits that gives the limit of one sender; 1: no limit
 *     per sender
 * @param maxHeldMicros maximum time that data waits for its template; a session unused for longer
 *     may be evicted in favour of another sender's
 * @param samplingDefaults sampling rates of exporters that send none
 * @param layer link layer of packet sections in records
 * @param hasLayer2 whether records and sections of non-IP frames become rows
 */
@RecordBuilder
public record NetflowConfig(
    int maxSessions,
    int maxTemplates,
    int maxAllTemplates,
    int maxFields,
    int maxHeldBytes,
    int senderShare,
    long maxHeldMicros,
    SamplingDefaults samplingDefaults,
    IpLayer layer,
    boolean hasLayer2)
    implements NetflowConfigBuilder.With {
  private static final int MAX = 1 << 20;

  /** Limits for a collector of some thousand exporters. */
  public static final NetflowConfig DEFAULT =
      new NetflowConfig(
          4096,
          1024,
          1 << 15,
          256,
          16 << 20,
          4,
          5 * 60 * 1_000_000L,
          SamplingDefaults.NONE,
          IpLayer.OUTER,
          false);

  public NetflowConfig {
    check("maxSessions", maxSessions, 1, MAX);
    check("maxTemplates", maxTemplates, 1, 1 << 16);
    check("maxAllTemplates", maxAllTemplates, 1, MAX);
    check("maxFields", maxFields, 1, 1 << 14);
    check("maxHeldBytes", maxHeldBytes, 0, 1 << 30);
    check("senderShare", senderShare, 1, MAX);
    check("maxHeldMicros", maxHeldMicros, 0, Long.MAX_VALUE);
    Objects.requireNonNull(samplingDefaults);
    Objects.requireNonNull(layer);
  }

  private static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "netflow: " + name + " is " + value + ", expected " + min + " to " + max);
    }
  }

  /** One sender's share of a global limit: at least 1, unless the limit is 0. */
  int share(int bound) {
    return Math.max(Math.min(1, bound), bound / senderShare);
  }
}
