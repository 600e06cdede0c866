package io.millrace.analytics.packets;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.packet.PacketRejects;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** Counters of packets that a step rejects, by label of the reason. */
public final class RejectCounters {
  private final PacketRejects rejects;
  private final Map<PacketReject, AnalyzerContext.Counter> counters =
      new EnumMap<>(PacketReject.class);
  private final Map<PacketReject, Long> reported = new EnumMap<>(PacketReject.class);

  /**
   * Counters that start at the reader's current values.
   *
   * @param rejects of the reader
   * @param reasons to report
   */
  public RejectCounters(AnalyzerContext context, PacketRejects rejects, Set<PacketReject> reasons) {
    this.rejects = rejects;
    for (PacketReject reason : reasons) {
      counters.put(reason, context.counter(reason.label()));
      reported.put(reason, rejects.count(reason));
    }
  }

  /** Adds the rejects since the last call. */
  public void update() {
    counters.forEach(
        (reason, counter) -> {
          long now = rejects.count(reason);
          counter.add(now - reported.put(reason, now));
        });
  }
}
