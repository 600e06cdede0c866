package io.millrace.wire.netflow;

import java.util.Objects;

/**
 * Bounds of what a {@link NetflowDecoder} remembers. All times are those of arrivals in the stream,
 * so that the same stream gives the same rows again.
 *
 * @param maxSessions sessions; the one unused for longest is forgotten for a new one
 * @param maxTemplates templates of a session, and samplers of a session
 * @param maxAllTemplates templates of all sessions; for one more, the session unused for longest is
 *     forgotten
 * @param maxFields fields of a template
 * @param maxHeldSessionBytes data without template of a session
 * @param maxHeldBytes data without template of all sessions
 * @param maxHeldMicros how long data waits for its template
 * @param samplingDefaults the rates of exporters that do not tell theirs
 */
public record NetflowConfig(
    int maxSessions,
    int maxTemplates,
    int maxAllTemplates,
    int maxFields,
    int maxHeldSessionBytes,
    int maxHeldBytes,
    long maxHeldMicros,
    SamplingDefaults samplingDefaults) {
  private static final int MOST = 1 << 20;

  /** Bounds that suit a collector of some thousand exporters. */
  public static final NetflowConfig DEFAULT =
      new NetflowConfig(
          4096, 1024, 1 << 15, 256, 1 << 20, 16 << 20, 5 * 60 * 1_000_000L, SamplingDefaults.NONE);

  /** Checks the bounds; throws {@code IllegalArgumentException} with the value and what may be. */
  public NetflowConfig {
    check("maxSessions", maxSessions, 1, MOST);
    check("maxTemplates", maxTemplates, 1, 1 << 16);
    check("maxAllTemplates", maxAllTemplates, 1, MOST);
    check("maxFields", maxFields, 1, 1 << 14);
    check("maxHeldSessionBytes", maxHeldSessionBytes, 0, 1 << 30);
    check("maxHeldBytes", maxHeldBytes, 0, 1 << 30);
    check("maxHeldMicros", maxHeldMicros, 0, Long.MAX_VALUE);
    Objects.requireNonNull(samplingDefaults);
  }

  private static void check(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "netflow: " + name + " is " + value + ", allowed are " + least + " to " + most);
    }
  }

  /** The same bounds with other sampling rates. */
  public NetflowConfig withSamplingDefaults(SamplingDefaults defaults) {
    return new NetflowConfig(
        maxSessions,
        maxTemplates,
        maxAllTemplates,
        maxFields,
        maxHeldSessionBytes,
        maxHeldBytes,
        maxHeldMicros,
        defaults);
  }
}
