package io.millrace.store.iceberg;

import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.wire.block.FlowBlock;

/**
 * A sink whose rows this process writes to files. Rows are visible as soon as they are appended.
 */
public final class IcebergFlowSink extends TableSink {
  private final OpenBuffers open; // guarded by this

  IcebergFlowSink(IcebergFlowTable table) {
    super(table);
    open = new OpenBuffers(table.name(), table.schema(), table.ids());
  }

  @Override
  public void append(FlowBlock block) {
    requireToken("rows");
    if (block.rows() == 0 || table.isKnown(block.logPartition(), block.logOffset())) {
      return;
    }
    table.makeRoom();
    synchronized (this) {
      markUnflushed();
      PendingRows rows = open.append(block, part -> table.begin(token(), part));
      if (rows.buffer.rows() >= table.limits().bufferRows()) {
        end(rows.buffer.part());
      }
    }
  }

  private void end(FlowPart part) {
    PendingRows rows = open.end(part);
    if (rows != null) {
      addEnded(rows);
      table.write(rows);
    }
  }

  @Override
  synchronized void endBuffers() {
    for (FlowPart part : FlowPart.values()) {
      end(part);
    }
  }
}
