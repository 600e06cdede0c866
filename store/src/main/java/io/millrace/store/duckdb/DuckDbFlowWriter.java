package io.millrace.store.duckdb;

import io.millrace.store.FlowWriter;
import io.millrace.wire.block.FlowBlock;
import java.time.Duration;

/** One thread's way to a table's committer; keeps the tallies of its own blocks. */
final class DuckDbFlowWriter implements FlowWriter {
  /** How old a tally may become before it is stored though nobody flushes. */
  private static final long TALLY_NANOS = 500_000_000;

  private final DuckDbFlowTable table;
  private final NameDictionary names;
  private final Duration longestWait;
  private final FlowRows rows;
  private final Tallies tallies = new Tallies();
  private FlowCommitter committer;
  private long talliedAt;

  DuckDbFlowWriter(DuckDbFlowTable table, NameDictionary names, Duration longestWait) {
    this.longestWait = longestWait;
    this.table = table;
    this.names = names;
    rows = new FlowRows(table.name(), table.schema());
  }

  /** The table's committer, taken when first needed: by then the table has been rewound. */
  private FlowCommitter committer() {
    if (committer == null) {
      committer = table.join(longestWait);
      talliedAt = System.nanoTime();
    }
    return committer;
  }

  @Override
  public void append(FlowBlock block) {
    FlowCommitter to = committer();
    if (block.names().size() > 0) {
      names.add(block.names());
    }
    if (block.rows() > 0) {
      rows.take(block);
      to.append(FlowPart.of(block), rows);
    }
    tallies.add(block);
    if (System.nanoTime() - talliedAt > TALLY_NANOS) {
      giveTallies();
    }
  }

  private void giveTallies() {
    committer().add(tallies.take());
    talliedAt = System.nanoTime();
  }

  @Override
  public void flush() {
    giveTallies();
    committer().flush();
  }

  @Override
  public long pendingRows() {
    return committer == null ? 0 : committer.pendingRows();
  }

  @Override
  public void close() {
    if (committer != null) {
      table.leave(committer);
      committer = null;
    }
  }
}
