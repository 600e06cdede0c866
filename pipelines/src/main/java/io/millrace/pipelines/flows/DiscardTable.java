package io.millrace.pipelines.flows;

import io.millrace.analytics.Output;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.sflow.Discards;
import java.time.Duration;
import java.util.List;

/** The table {@code discards}: packets that devices discarded, with the reason. */
final class DiscardTable {
  static final Output<TableBlock> ROWS = Output.ofTable("discards");

  private static final ResultRetention RETENTION =
      new ResultRetention(Duration.ofDays(366), 8L << 30);

  static final ResultSpec TABLE = new ResultSpec("discards", Discards.SCHEMA, List.of(), RETENTION);

  private DiscardTable() {}
}
