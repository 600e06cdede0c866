package io.millrace.server.runtime;

import io.millrace.server.collect.ExporterKey;
import io.millrace.server.collect.JobCounts;
import io.millrace.store.FlowTable;
import io.millrace.store.StoredTally;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterTally;
import io.millrace.wire.block.RejectReason;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** What the job has made of the log, as the store has it beside the rows. */
record StoredCounts(Supplier<FlowTable> table) implements JobCounts {
  @Override
  public Snapshot snapshot() {
    StoredTally stored = table.get().tally();
    ExporterTally tally = stored.counts();
    Map<ExporterKey, Count> exporters = new HashMap<>();
    Count messages = Count.ZERO;
    for (int i = 0; i < tally.size(); i++) {
      Map<RejectReason, Long> rejects = new EnumMap<>(RejectReason.class);
      for (RejectReason reason : RejectReason.values()) {
        long count = tally.count(i, ExporterTally.FIRST_REASON + reason.ordinal());
        if (count > 0) {
          rejects.put(reason, count);
        }
      }
      Count count =
          new Count(
              tally.count(i, ExporterTally.DATAGRAMS),
              tally.count(i, ExporterTally.MALFORMED_DATAGRAMS),
              tally.count(i, ExporterTally.ROWS),
              rejects,
              new Records(
                  tally.count(i, ExporterTally.TEMPLATES),
                  tally.count(i, ExporterTally.TEMPLATE_CHANGES),
                  tally.count(i, ExporterTally.HELD_SETS),
                  tally.count(i, ExporterTally.LOST_RECORDS),
                  tally.count(i, ExporterTally.UNSAMPLED_ROWS),
                  tally.count(i, ExporterTally.SHED_ROWS)));
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
