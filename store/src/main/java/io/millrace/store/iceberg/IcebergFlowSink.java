package io.millrace.store.iceberg;

import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.wire.block.FlowBlock;

/**
 * A sink whose rows this process writes to files. Rows are visible as soon as they are appended.
 */
public final class IcebergFlowSink extends TableSink {
  private final OpenStretches open; // guarded by this

  IcebergFlowSink(IcebergFlowTable table) {
    super(table);
    open = new OpenStretches(table.name(), table.schema(), table.ids());
  }

  @Override
  public void append(FlowBlock block) {
    requireToken("rows");
    if (block.rows() == 0 || table.isKnown(block.logPartition(), block.logOffset())) {
      return;
    }
    table.makeRoom();
    synchronized (this) {
      appending();
      PendingRows rows = open.append(block, part -> table.begin(token(), part));
      if (rows.stretch.rows() >= table.limits().stretchRows()) {
        end(rows.stretch.part());
      }
    }
  }

  private void end(FlowPart part) {
    PendingRows rows = open.end(part);
    if (rows != null) {
      ended(rows);
      table.write(rows);
    }
  }

  @Override
  synchronized void endStretches() {
    for (FlowPart part : FlowPart.values()) {
      end(part);
    }
  }
}
