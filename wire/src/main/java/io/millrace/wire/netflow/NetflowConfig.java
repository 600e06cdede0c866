package io.millrace.wire.netflow;

import io.millrace.wire.packet.IpLayer;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Objects;

/**
 * Bounds of what a {@link NetflowDecoder} remembers. All times are those of arrivals in the stream,
 * so that the same stream gives the same rows again.
 *
 * @param maxSessions sessions that have templates
 * @param maxTemplates templates of a session, and samplers of a session
 * @param maxAllTemplates templates of all sessions, where one of many fields counts for several,
 *     and samplers of all sessions
 * @param maxFields fields of a template
 * @param maxHeldBytes what data without template takes in memory, of all sessions; it takes less in
 *     a snapshot
 * @param senderShare a sender has at most one part in so many of the bounds of all; 1: may have all
 * @param maxHeldMicros how long data waits for its template; a session that was unused for longer
 *     may have to make room for that of another sender
 * @param samplingDefaults the rates of exporters that do not tell theirs
 * @param layer of pieces of packets in records, whose row it is
 * @param hasLayer2 whether records of frames, and pieces of frames, that are not IP make rows
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
  private static final int MOST = 1 << 20;

  /** Bounds that suit a collector of some thousand exporters. */
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

  /** Checks the bounds; throws {@code IllegalArgumentException} with the value and what may be. */
  public NetflowConfig {
    check("maxSessions", maxSessions, 1, MOST);
    check("maxTemplates", maxTemplates, 1, 1 << 16);
    check("maxAllTemplates", maxAllTemplates, 1, MOST);
    check("maxFields", maxFields, 1, 1 << 14);
    check("maxHeldBytes", maxHeldBytes, 0, 1 << 30);
    check("senderShare", senderShare, 1, MOST);
    check("maxHeldMicros", maxHeldMicros, 0, Long.MAX_VALUE);
    Objects.requireNonNull(samplingDefaults);
    Objects.requireNonNull(layer);
  }

  private static void check(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "netflow: " + name + " is " + value + ", allowed are " + least + " to " + most);
    }
  }

  /** A sender's part of one of the bounds of all: at least 1, unless that is 0. */
  int share(int bound) {
    return Math.max(Math.min(1, bound), bound / senderShare);
  }
}
