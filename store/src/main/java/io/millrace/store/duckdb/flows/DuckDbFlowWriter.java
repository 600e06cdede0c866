package io.millrace.store.duckdb.flows;

import io.millrace.store.FlowWriter;
import io.millrace.store.duckdb.ledger.CounterTables;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.time.Duration;

/** One thread's way to a table's committers; keeps the counters of its own blocks. */
final class DuckDbFlowWriter implements FlowWriter {
  /** How old counters may become before they are stored though nobody flushes. */
  private static final long MAX_AGE_NANOS = 500_000_000;

  private final DuckDbFlowTable table;
  private final long token;
  private final NameDictionary names;
  private final Duration longestWait;
  private final FlowRows rows;
  private final CounterTables counters;
  private FlowCommitters committers;
  private FlowCommitter forPast;
  private long givenAt;

  DuckDbFlowWriter(DuckDbFlowTable table, long token, NameDictionary names, Duration longestWait) {
    this.table = table;
    this.token = token;
    this.names = names;
    this.longestWait = longestWait;
    rows = new FlowRows(table.name(), table.schema());
    counters = new CounterTables(table.quota());
  }

  /**
   * Joins the table's committers when they are first needed. A rewind in between closes them, which
   * they tell: the check here only gives the reason sooner.
   */
  private void join() {
    table.check(token, "rows");
    if (committers == null) {
      committers = table.committers(token, longestWait);
      forPast = table.join(committers);
      givenAt = System.nanoTime();
    }
  }

  @Override
  public void append(FlowBlock block) {
    join();
    if (block.names().size() > 0) {
      names.add(block.names());
    }
    if (block.rows() > 0) {
      rows.take(block, table.removed().goneBefore(block));
      boolean isFresh = FlowLane.isFresh(block.longs(FlowColumn.TIME)[0]);
      (isFresh ? committers.forFresh() : forPast).append(FlowPart.of(block), rows);
    }
    counters.add(block);
    if (System.nanoTime() - givenAt > MAX_AGE_NANOS) {
      giveCounters();
    }
  }

  private void giveCounters() {
    forPast.add(counters.take());
    givenAt = System.nanoTime();
  }

  @Override
  public void flush() {
    join();
    giveCounters();
    forPast.flush();
    if (forPast != committers.forFresh()) {
      committers.forFresh().flush();
    }
  }

  @Override
  public long pendingRows() {
    if (committers == null) {
      return 0;
    }
    long pending = forPast.pendingRows();
    return forPast == committers.forFresh()
        ? pending
        : pending + committers.forFresh().pendingRows();
  }

  @Override
  public void close() {
    if (committers != null) {
      table.leave(committers);
      committers = null;
    }
  }
}
