package io.millrace.pipelines.flows;

import io.millrace.analytics.Output;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.nat.NatEvents;
import java.time.Duration;
import java.util.List;

/** The table {@code nat_events}: mappings of external addresses and ports, with their times. */
final class NatEventTable {
  static final Output<TableBlock> ROWS = Output.ofTable("nat-events");

  private static final ResultRetention RETENTION =
      new ResultRetention(Duration.ofDays(366), 8L << 30);

  static final ResultSpec TABLE =
      new ResultSpec("nat_events", NatEvents.SCHEMA, List.of(), RETENTION);

  private NatEventTable() {}
}
