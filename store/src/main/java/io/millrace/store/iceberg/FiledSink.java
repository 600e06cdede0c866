package io.millrace.store.iceberg;

import io.millrace.store.FencedException;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A sink whose rows another process writes to files. That process says when a stretch ends and
 * which files it has become. Rows may come here too, to be visible before: as many as memory
 * allows, until their files take their place.
 */
public final class FiledSink extends TableSink {
  private final OpenStretches open; // guarded by this

  /** Open rows by part; the same as those of the other process. Guarded by this. */
  private final Map<FlowPart, PendingRows> byPart = new EnumMap<>(FlowPart.class);

  /** Ended rows without files, by their number in the other process. Guarded by this. */
  private final Map<Long, PendingRows> unwritten = new HashMap<>();

  FiledSink(IcebergFlowTable table) {
    super(table);
    open = new OpenStretches(table.name(), table.schema(), table.ids());
  }

  /** What snapshots had at the last rewind: these rows are not to be written once more. */
  public Frontier known() {
    return table.known();
  }

  /** Makes rows visible, if there is memory for them. A block may come without its rows. */
  @Override
  public synchronized void append(FlowBlock block) {
    requireToken("rows");
    if (!table.isKnown(block.logPartition(), block.logOffset())) {
      appending();
      if (block.rows() > 0 && table.hasRoomForFiled()) {
        byPart.put(FlowPart.of(block), open.append(block, part -> table.beginFiled(token(), part)));
      }
    }
  }

  /**
   * The other process has ended the stretch of a part, and later rows belong to another.
   *
   * @param number of the stretch, not used before
   */
  public synchronized void end(FlowPart part, long number) {
    requireToken("rows");
    appending();
    var unused = open.end(part);
    PendingRows rows = byPart.remove(part);
    if (rows == null) {
      rows = table.beginFiled(token(), part);
    }
    rows.written = new CompletableFuture<>();
    unwritten.put(number, rows);
    ended(rows);
  }

  /**
   * The other process has written a stretch to files, which are this table's from now on.
   *
   * @param report as {@link StretchReport} writes it
   * @throws StoreException if a file is not there
   */
  public void written(long number, BlockInput report) {
    StretchReport made = StretchReport.read(report, table.sums());
    made.check(table.data());
    try {
      requireToken("files");
    } catch (FencedException e) {
      made.deleteFiles();
      throw e;
    }
    PendingRows rows;
    synchronized (this) {
      rows = unwritten.remove(number);
    }
    if (rows == null) {
      throw report.broken("files of the unknown stretch " + number);
    }
    table.replace(rows, made.files(), made.sums());
    rows.written.complete(made.files());
  }

  /** The other process ends stretches. */
  @Override
  void endStretches() {}

  @Override
  public synchronized void close() {
    byPart.values().forEach(table::drop);
    byPart.clear();
    for (PendingRows rows : unwritten.values()) {
      table.drop(rows);
      rows.written.completeExceptionally(
          new StoreException(
              "a writer of table " + table.name() + " ended before its files", null));
    }
    unwritten.clear();
    super.close();
  }
}
