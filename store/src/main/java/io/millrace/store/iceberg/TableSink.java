package io.millrace.store.iceberg;

import io.millrace.store.FencedException;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.sink.BlockSink;
import java.util.ArrayList;
import java.util.List;

/** One subtask's way into an {@link IcebergFlowTable}. */
abstract class TableSink implements BlockSink<FlowBlock, Frontier> {
  private static final long NOT_BEGUN = -1;

  final IcebergFlowTable table;

  private volatile long token = NOT_BEGUN;

  // Guarded by this; another sink ends stretches when memory is short.
  private List<PendingRows> ended = new ArrayList<>();
  private boolean isFlushed = true;

  TableSink(IcebergFlowTable table) {
    this.table = table;
  }

  /** Begins to write all rows in memory; later ones go into other files. */
  abstract void endStretches();

  @Override
  public void rewind(long next, Frontier covered) {
    var unused = table.rewind(next, covered);
  }

  @Override
  public void begin(long mine, long checkpoint) {
    table.add(this, mine);
    token = mine;
  }

  long token() {
    return token;
  }

  void requireToken(String what) {
    if (token == NOT_BEGUN) {
      throw new FencedException("a sink of table " + table.name() + " has not begun");
    }
    table.check(token, what);
  }

  /** Takes note of rows that are not flushed; guarded by this. */
  void appending() {
    isFlushed = false;
  }

  /** Takes note of rows that get no more; guarded by this. */
  void ended(PendingRows rows) {
    ended.add(rows);
  }

  /** Keeps the rows when this is closed. They are visible already. */
  @Override
  public synchronized void flush() {
    requireToken("rows");
    isFlushed = true;
  }

  @Override
  public synchronized void seal(long checkpoint, Frontier covered) {
    requireToken("a checkpoint");
    endStretches();
    table.seal(this, checkpoint, covered, ended);
    ended = new ArrayList<>();
  }

  @Override
  public void sync() {
    if (token != NOT_BEGUN) {
      table.sync(this);
    }
  }

  @Override
  public void commit(long checkpoint, Frontier covered) {
    requireToken("a checkpoint");
    table.commit(token, checkpoint, covered);
  }

  /** Rows that were neither sealed nor flushed are dropped. */
  @Override
  public synchronized void close() {
    endStretches();
    table.remove(this, ended, isFlushed);
    ended = new ArrayList<>();
  }
}
