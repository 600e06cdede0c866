package io.millrace.pipelines.flows;

import io.millrace.analytics.Output;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.nat.NatEvents;
import java.time.Duration;
import java.util.List;

/** The table {@code nat_events}: who had which outside address and ports, from when on. */
final class NatEventTable {
  /** The rows of a value of the log. */
  static final Output<TableBlock> ROWS = Output.ofTable("nat-events");

  /** As long as other results; no sender fills the disk. */
  private static final ResultRetention RETENTION =
      new ResultRetention(Duration.ofDays(366), 8L << 30);

  /** The table. */
  static final ResultSpec TABLE =
      new ResultSpec("nat_events", NatEvents.SCHEMA, List.of(), RETENTION);

  private NatEventTable() {}
}
