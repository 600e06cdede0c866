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
 * A sink whose rows another process writes to files. That process reports when a buffer ends and
 * which files it wrote from it. It may also send the rows, which makes them visible before their
 * files exist, as far as memory allows; the files then replace them.
 */
public final class ExternalFileSink extends TableSink {
  private final OpenBuffers open; // guarded by this

  /** Copies of the other process's open buffers, by part. Guarded by this. */
  private final Map<FlowPart, PendingRows> byPart = new EnumMap<>(FlowPart.class);

  /** Ended buffers whose files are not reported yet, by number. Guarded by this. */
  private final Map<Long, PendingRows> unwritten = new HashMap<>();

  ExternalFileSink(IcebergFlowTable table) {
    super(table);
    open = new OpenBuffers(table.name(), table.schema(), table.ids());
  }

  /** Log coverage of the snapshots at the last rewind: the writer must skip these rows. */
  public Frontier known() {
    return table.known();
  }

  /** Makes rows visible if there is memory for them; a block may have been sent without rows. */
  @Override
  public synchronized void append(FlowBlock block) {
    requireToken("rows");
    if (!table.isKnown(block.logPartition(), block.logOffset())) {
      markUnflushed();
      if (block.rows() > 0 && table.hasRoomForExternal()) {
        byPart.put(
            FlowPart.of(block), open.append(block, part -> table.beginExternal(token(), part)));
      }
    }
  }

  /**
   * Ends the open buffer of a part; later rows belong to the next one.
   *
   * @param number identifies the buffer, not used before
   */
  public synchronized void end(FlowPart part, long number) {
    requireToken("rows");
    markUnflushed();
    var unused = open.end(part);
    PendingRows rows = byPart.remove(part);
    if (rows == null) {
      rows = table.beginExternal(token(), part);
    }
    rows.written = new CompletableFuture<>();
    unwritten.put(number, rows);
    addEnded(rows);
  }

  /**
   * Takes over the files that the other process has written from a buffer.
   *
   * @param report as {@link FileReport} writes it
   * @throws StoreException if a file is missing, incomplete or outside of the table's folder
   */
  public void written(long number, BlockInput report) {
    FileReport made = FileReport.read(report, table.sums());
    made.check(table.storage(), table.data());
    try {
      requireToken("files");
    } catch (FencedException e) {
      made.deleteFiles(table.storage());
      throw e;
    }
    PendingRows rows;
    synchronized (this) {
      rows = unwritten.remove(number);
    }
    if (rows == null) {
      throw report.broken("files of unknown buffer " + number);
    }
    rows.isPublished = true;
    made.files().forEach(file -> table.storage().published(file.path(), file.bytes()));
    table.replace(rows, made.files(), made.sums());
    rows.written.complete(made.files());
  }

  /** Does nothing: the other process decides when a buffer ends. */
  @Override
  void endBuffers() {}

  @Override
  public synchronized void close() {
    byPart.values().forEach(table::discard);
    byPart.clear();
    for (PendingRows rows : unwritten.values()) {
      table.discard(rows);
      rows.written.completeExceptionally(
          new StoreException(
              "the writer of table %s disconnected before reporting its files; the rows will be replayed from the log"
                  .formatted(table.name()),
              null));
    }
    unwritten.clear();
    super.close();
  }
}
