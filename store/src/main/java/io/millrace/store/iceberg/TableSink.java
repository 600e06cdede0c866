package io.millrace.store.iceberg;

import io.millrace.store.FencedException;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.sink.BlockSink;
import java.util.ArrayList;
import java.util.List;

/** Sink of one subtask into an {@link IcebergFlowTable}. */
abstract class TableSink implements BlockSink<FlowBlock, Frontier> {
  private static final long NOT_BEGUN = -1;

  final IcebergFlowTable table;

  private volatile long token = NOT_BEGUN;

  // Guarded by this: another sink ends this one's buffers when memory is short.
  private List<PendingRows> ended = new ArrayList<>();
  private boolean isFlushed = true;

  TableSink(IcebergFlowTable table) {
    this.table = table;
  }

  /** Starts writing the open buffers; later rows go into new ones. */
  abstract void endBuffers();

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

  /** Records that rows were appended since the last flush; guarded by this. */
  void markUnflushed() {
    isFlushed = false;
  }

  /** Adds an ended buffer to those of the next seal; guarded by this. */
  void addEnded(PendingRows rows) {
    ended.add(rows);
  }

  /** Rows are visible already; after a flush, {@link #close} keeps them. */
  @Override
  public synchronized void flush() {
    requireToken("rows");
    isFlushed = true;
  }

  @Override
  public synchronized void seal(long checkpoint, Frontier covered) {
    requireToken("a checkpoint");
    endBuffers();
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

  /** Discards rows that were not sealed, unless all were flushed. */
  @Override
  public synchronized void close() {
    endBuffers();
    table.remove(this, ended, isFlushed);
    ended = new ArrayList<>();
  }
}
