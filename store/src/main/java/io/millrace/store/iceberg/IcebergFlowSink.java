package io.millrace.store.iceberg;

import io.millrace.store.FencedException;
import io.millrace.store.FlowSchema;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.sink.BlockSink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * One subtask's way into an {@link IcebergFlowTable}: rows are visible as soon as they are
 * appended.
 */
public final class IcebergFlowSink implements BlockSink<FlowBlock, Frontier> {
  private static final long NOT_BEGUN = -1;

  private final IcebergFlowTable table;
  private final List<FlowSchema.AddedColumn> added;
  private final List<JoinedColumn> joined;
  private final TailChunk.Scratch scratch = new TailChunk.Scratch();
  private volatile long token = NOT_BEGUN;

  // Guarded by this; another sink ends stretches when memory is short.
  private final Map<FlowPart, IcebergFlowTable.Pending> open = new EnumMap<>(FlowPart.class);
  private List<IcebergFlowTable.Pending> ended = new ArrayList<>();
  private boolean isFlushed = true;

  IcebergFlowSink(IcebergFlowTable table) {
    this.table = table;
    added = table.columns().schema().joined();
    joined = Arrays.asList(new JoinedColumn[added.size()]);
  }

  @Override
  public void rewind(long next, Frontier covered) {
    var unused = table.rewind(next, covered);
  }

  @Override
  public void begin(long mine, long checkpoint) {
    table.add(this, mine);
    token = mine;
  }

  @Override
  public void append(FlowBlock block) {
    requireToken("rows");
    if (block.rows() == 0 || table.isKnown(block.logPartition(), block.logOffset())) {
      return;
    }
    table.makeRoom();
    matchColumns(block);
    synchronized (this) {
      isFlushed = false;
      FlowPart part = FlowPart.of(block);
      IcebergFlowTable.Pending rows = open.get(part);
      if (rows == null) {
        rows = table.begin(token, part);
        open.put(part, rows);
      }
      rows.stretch.append(block, joined, table.ids(), scratch);
      if (rows.stretch.rows() >= table.limits().stretchRows()) {
        end(part);
      }
    }
  }

  private void requireToken(String what) {
    if (token == NOT_BEGUN) {
      throw new FencedException("a sink of table " + table.name() + " has not begun");
    }
    table.check(token, what);
  }

  private void matchColumns(FlowBlock block) {
    for (int i = 0; i < added.size(); i++) {
      joined.set(i, null);
    }
    List<JoinedColumn> there = block.joined();
    for (int k = 0; k < there.size(); k++) {
      JoinedColumn column = there.get(k);
      joined.set(place(column, k), column);
    }
  }

  private int place(JoinedColumn column, int guess) {
    for (int i = 0; i < added.size(); i++) {
      int at = (guess + i) % added.size();
      if (added.get(at).name().equals(column.name()) && added.get(at).kind() == column.kind()) {
        return at;
      }
    }
    throw new WrongSchemaException(
        "table %s has no column %s of kind %s"
            .formatted(table.name(), column.name(), column.kind()));
  }

  private void end(FlowPart part) {
    IcebergFlowTable.Pending rows = open.remove(part);
    if (rows != null) {
      ended.add(rows);
      table.write(rows);
    }
  }

  /** Begins to write all rows in memory; later ones go into other files. */
  synchronized void endStretches() {
    for (FlowPart part : FlowPart.values()) {
      end(part);
    }
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
    table.seal(token, checkpoint, covered, ended);
    ended = new ArrayList<>();
  }

  @Override
  public void sync() {
    if (token != NOT_BEGUN) {
      table.sync(token);
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
