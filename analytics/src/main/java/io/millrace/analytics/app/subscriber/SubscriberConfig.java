package io.millrace.analytics.app.subscriber;

import io.millrace.wire.packet.PacketRejects;
import java.io.Serializable;

/**
 * How subscribers of tunnels are kept.
 *
 * @param names what stands for them
 * @param mostSessions sessions that each subtask keeps, about 500 bytes each, and for each of them
 *     up to 8 ends of tunnels, about 200 bytes each
 * @param idleMicros a session of which nothing was heard for so long is over
 */
public record SubscriberConfig(SubscriberNames names, int mostSessions, long idleMicros)
    implements Serializable {
  private static final int MOST_SESSIONS = 1 << 24;
  private static final int ENDS = 8;
  private static final long WEEK = 7 * 86_400_000_000L;

  /** Checks that all of it can be meant. */
  public SubscriberConfig {
    if (mostSessions < 1 || mostSessions > MOST_SESSIONS) {
      throw new IllegalArgumentException(
          "max-subscribers: " + mostSessions + " is not 1 to " + MOST_SESSIONS);
    }
    if (idleMicros <= 0) {
      throw new IllegalArgumentException("subscriber-idle must be longer than nothing");
    }
  }

  /** As they are named in the messages, 65,536 of them, for a week. */
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
