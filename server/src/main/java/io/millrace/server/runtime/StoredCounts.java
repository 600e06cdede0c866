package io.millrace.server.runtime;

import io.millrace.server.collect.ExporterKey;
import io.millrace.server.collect.JobCounts;
import io.millrace.store.FlowTable;
import io.millrace.store.StoredCounters;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.RejectReason;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** What the job has made of the log, as the store has it beside the rows. */
record StoredCounts(Supplier<FlowTable> table) implements JobCounts {
  @Override
  public Snapshot snapshot() {
    StoredCounters stored = table.get().tally();
    ExporterCounters tally = stored.counts();
    Map<ExporterKey, Count> exporters = new HashMap<>();
    Count messages = Count.ZERO;
    for (int i = 0; i < tally.size(); i++) {
      Map<RejectReason, Long> rejects = new EnumMap<>(RejectReason.class);
      for (RejectReason reason : RejectReason.values()) {
        long count = tally.count(i, ExporterCounters.FIRST_REASON + reason.ordinal());
        if (count > 0) {
          rejects.put(reason, count);
        }
      }
      Count count =
          new Count(
              tally.count(i, ExporterCounters.DATAGRAMS),
              tally.count(i, ExporterCounters.MALFORMED_DATAGRAMS),
              tally.count(i, ExporterCounters.ROWS),
              rejects,
              new Records(
                  tally.count(i, ExporterCounters.TEMPLATES),
                  tally.count(i, ExporterCounters.TEMPLATE_CHANGES),
                  tally.count(i, ExporterCounters.HELD_SETS),
                  tally.count(i, ExporterCounters.LOST_RECORDS),
                  tally.count(i, ExporterCounters.DOUBTS),
                  tally.count(i, ExporterCounters.UNSAMPLED_ROWS),
                  tally.count(i, ExporterCounters.SHED_ROWS)));
      if (Channel.protocol(tally.channel(i)) == ExportProtocol.GOFLOW2) {
        messages = messages.plus(count); // no collector of ours has seen what they were made of
        continue;
      }
      exporters.put(
          new ExporterKey(
              tally.senderHigh(i),
              tally.senderLow(i),
              tally.agentHigh(i),
              tally.agentLow(i),
              tally.channel(i)),
          count);
    }
    return new Snapshot(exporters, messages, stored.covered(), stored.skipped());
  }
}
