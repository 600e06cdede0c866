package io.millrace.analytics.app.subscriber;

import io.millrace.wire.packet.PacketRejects;
import java.io.Serializable;

/**
 * Settings of tunnel subscribers.
 *
 * @param names identity in rows
 * @param mostSessions maximum number of sessions per subtask, about 500 bytes each, with up to 8
 *     tunnel endpoints each, about 200 bytes each
 * @param idleMicros idle timeout of a session, microseconds
 */
public record SubscriberConfig(SubscriberNames names, int mostSessions, long idleMicros)
    implements Serializable {
  private static final int MAX_SESSIONS = 1 << 24;
  private static final int ENDS = 8;
  private static final long WEEK = 7 * 86_400_000_000L;

  /** Checks the ranges. */
  public SubscriberConfig {
    if (mostSessions < 1 || mostSessions > MAX_SESSIONS) {
      throw new IllegalArgumentException(
          "max-subscribers: " + mostSessions + ", expected 1 to " + MAX_SESSIONS);
    }
    if (idleMicros <= 0) {
      throw new IllegalArgumentException(
          "subscriber-idle: " + idleMicros + " µs, expected more than 0");
    }
  }

  /** Plain identities, 65,536 sessions, an idle timeout of a week. */
  public static SubscriberConfig defaults() {
    return new SubscriberConfig(SubscriberNames.plain(), 1 << 16, WEEK);
  }

  public SubscriberTable table(SubscriberTable.Listener owners, PacketRejects rejects) {
    return new SubscriberTable(names, mostSessions, idleMicros, owners, rejects);
  }

  public TunnelOwners owners() {
    return new TunnelOwners((int) Math.min(Integer.MAX_VALUE, (long) mostSessions * ENDS));
  }
}
