package io.millrace.analytics.packets;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.packet.PacketRejects;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** Tells as counters of a step, by their labels, what a reader of packets could not use. */
public final class RejectCounters {
  private final PacketRejects rejects;
  private final Map<PacketReject, AnalyzerContext.Counter> counters =
      new EnumMap<>(PacketReject.class);
  private final Map<PacketReject, Long> told = new EnumMap<>(PacketReject.class);

  /**
   * Counters that stand where the reader does.
   *
   * @param rejects of the reader
   * @param reasons those that are told
   */
  public RejectCounters(AnalyzerContext context, PacketRejects rejects, Set<PacketReject> reasons) {
    this.rejects = rejects;
    for (PacketReject reason : reasons) {
      counters.put(reason, context.counter(reason.label()));
      told.put(reason, rejects.count(reason));
    }
  }

  /** Adds what has come since the last time. */
  public void tell() {
    counters.forEach(
        (reason, counter) -> {
          long now = rejects.count(reason);
          counter.add(now - told.put(reason, now));
        });
  }
}
