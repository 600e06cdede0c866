package io.millrace.store.duckdb.flows;

import io.millrace.store.FlowWriter;
import io.millrace.store.duckdb.ledger.CounterTables;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.time.Duration;

/** One thread's way to a table's committers; keeps the counters of its own blocks. */
final class DuckDbFlowWriter implements FlowWriter {
  private static final long MAX_AGE_NANOS = 500_000_000;

  private static final long NOT_BEGUN = -1;

  private final DuckDbFlowTable table;
  private final NameDictionary names;
  private final Runnable sync;
  private final Duration longestWait;
  private final FlowRows rows;
  private final CounterTables counters;
  private FlowCommitters committers;
  private FlowCommitter forPast;
  private long givenAt;
  private long token = NOT_BEGUN;
  private boolean isFlushed = true;

  DuckDbFlowWriter(
      DuckDbFlowTable table, NameDictionary names, Runnable sync, Duration longestWait) {
    this.table = table;
    this.names = names;
    this.sync = sync;
    this.longestWait = longestWait;
    rows = new FlowRows(table.name(), table.schema());
    counters = new CounterTables(table.quota());
  }

  @Override
  public void rewind(long next, Frontier covered) {
    table.rewind(next, covered);
  }

  @Override
  public void begin(long mine, long checkpoint) {
    table.check(mine, "a writer");
    token = mine;
  }

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
    isFlushed = false;
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
    table.check(token, "rows");
    if (isFlushed) {
      return;
    }
    giveCounters();
    forPast.flush();
    if (forPast != committers.forFresh()) {
      committers.forFresh().flush();
    }
    isFlushed = true;
  }

  @Override
  public void sync() {
    sync.run();
  }

  @Override
  public void commit(long checkpoint, Frontier covered) {
    table.committed(token, checkpoint, covered);
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
