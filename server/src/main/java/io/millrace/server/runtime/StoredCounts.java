package io.millrace.server.runtime;

import io.millrace.server.collect.ExporterKey;
import io.millrace.server.collect.JobCounts;
import io.millrace.store.FlowTable;
import io.millrace.store.StoredCounters;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RejectReason;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

final class StoredCounts implements JobCounts {
  private final LastKnown<Snapshot> last;

  StoredCounts(BooleanSupplier isOpen, Supplier<FlowTable> table) {
    last = new LastKnown<>(isOpen, () -> read(table.get()));
  }

  @Override
  public Snapshot snapshot() {
    return last.get();
  }

  private static Snapshot read(FlowTable flows) {
    StoredCounters stored = flows.counters();
    ExporterCounters counters = stored.counts();
    Map<ExporterKey, Count> exporters = new HashMap<>();
    Count messages = Count.ZERO;
    for (int i = 0; i < counters.size(); i++) {
      Map<RejectReason, Long> rejects = new EnumMap<>(RejectReason.class);
      for (RejectReason reason : RejectReason.values()) {
        long count = counters.count(i, ExporterCounters.FIRST_REASON + reason.ordinal());
        if (count > 0) {
          rejects.put(reason, count);
        }
      }
      Count count =
          new Count(
              counters.count(i, ExporterCounters.DATAGRAMS),
              counters.count(i, ExporterCounters.MALFORMED_DATAGRAMS),
              counters.count(i, ExporterCounters.ROWS),
              rejects,
              new Records(
                  counters.count(i, ExporterCounters.TEMPLATES),
                  counters.count(i, ExporterCounters.TEMPLATE_CHANGES),
                  counters.count(i, ExporterCounters.HELD_SETS),
                  counters.count(i, ExporterCounters.LOST_RECORDS),
                  counters.count(i, ExporterCounters.DOUBTS),
                  counters.count(i, ExporterCounters.UNSAMPLED_ROWS),
                  counters.count(i, ExporterCounters.SHED_ROWS),
                  counters.count(i, ExporterCounters.REJECTED_RATES),
                  counters.count(i, ExporterCounters.BOTH_SIDES_ROWS)));
      if (Channel.protocol(counters.channel(i)) == ExportProtocol.GOFLOW2) {
        messages = messages.plus(count); // from external topics, so unknown to the collector
        continue;
      }
      exporters.put(
          new ExporterKey(
              counters.senderHigh(i),
              counters.senderLow(i),
              counters.agentHigh(i),
              counters.agentLow(i),
              counters.channel(i)),
          count);
    }
    int epoch = flows.committed().epoch();
    Frontier covered = stored.covered().ofEpoch(epoch);
    long lost = epoch > 0 ? Math.max(1, stored.skipped()) : stored.skipped();
    return new Snapshot(exporters, messages, covered, lost);
  }
}
