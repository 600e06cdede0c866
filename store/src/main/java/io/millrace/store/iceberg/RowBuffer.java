package io.millrace.store.iceberg;

import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Consecutive rows of one sink in memory, all of one part, to be written to one file for each hour.
 * One thread appends; readers see a block as a whole, after it was appended.
 */
final class RowBuffer {
  private static final long HOUR = TimeUnit.HOURS.toMicros(1);

  private final FlowPart part;
  private final TailMemory memory;
  private final List<TailChunk> chunks = new ArrayList<>(); // guarded by this
  private final TreeSet<Long> hours = new TreeSet<>(); // guarded by this
  private long lastHour = Long.MIN_VALUE;
  private int appended; // of the appending thread
  private volatile int rows;

  /** Bounds of the visible rows, and perhaps of a block that is not visible yet. */
  private volatile RowExtent bounds = RowExtent.NONE;

  /**
   * References to the chunks: the readers and, until {@link #free}, this buffer. Guarded by this.
   */
  private int users = 1;

  private boolean isEnded; // guarded by this

  RowBuffer(FlowPart part, TailMemory memory) {
    this.part = part;
    this.memory = memory;
  }

  FlowPart part() {
    return part;
  }

  /** Number of visible rows. */
  int rows() {
    return rows;
  }

  /** Bounds of the rows; may include a block that is not visible yet. */
  RowExtent bounds() {
    return bounds;
  }

  /** Hours since the epoch in which the rows arrived. */
  synchronized List<Long> hours() {
    return List.copyOf(hours);
  }

  /**
   * Appends a block.
   *
   * @param joined the block's added columns in the order of the table's schema, null if missing
   */
  void append(FlowBlock block, List<JoinedColumn> joined, TextIds ids, TailChunk.Scratch scratch) {
    int n = block.rows();
    for (int from = 0; from < n; ) {
      TailChunk chunk = open();
      int some = Math.min(n - from, chunk.room());
      chunk.append(block, from, some, joined, ids, scratch);
      from += some;
    }
    bounds = bounds.and(bounds(block, n));
    appended += n;
    rows = appended; // makes the block visible
  }

  private synchronized TailChunk open() {
    TailChunk last = chunks.isEmpty() ? null : chunks.get(chunks.size() - 1);
    if (last == null || last.room() == 0) {
      last = memory.take(part);
      chunks.add(last);
    }
    return last;
  }

  private RowExtent bounds(FlowBlock block, int n) {
    long[] times = block.longs(FlowColumn.TIME);
    long earliest = Long.MAX_VALUE;
    long latest = Long.MIN_VALUE;
    for (int i = 0; i < n; i++) {
      long hour = Math.floorDiv(times[i], HOUR);
      if (hour != lastHour) {
        lastHour = hour;
        synchronized (this) {
          hours.add(hour);
        }
      }
      earliest = Math.min(earliest, times[i]);
      latest = Math.max(latest, times[i]);
    }
    int partition = block.logPartition();
    long offset = block.logOffset();
    return new RowExtent(n, earliest, latest, partition, partition, offset, offset);
  }

  /** The rows that are visible now; they stay in memory until {@link Slice#close}. */
  synchronized Slice slice() {
    users++;
    int visible = rows;
    return new Slice(this, List.copyOf(chunks), visible, extent(visible));
  }

  private RowExtent extent(int visible) {
    RowExtent all = bounds;
    return visible == 0
        ? RowExtent.NONE
        : new RowExtent(
            visible,
            all.oldest(),
            all.newest(),
            all.firstPartition(),
            all.lastPartition(),
            all.firstOffset(),
            all.lastOffset());
  }

  /** This buffer gets no more rows. */
  synchronized void end() {
    if (!isEnded) {
      isEnded = true;
      memory.end(this, chunks.size());
    }
  }

  /** Releases the memory of the rows, as soon as no query reads them. */
  void free() {
    end();
    memory.release(this, count());
    dereference();
  }

  private synchronized int count() {
    return chunks.size();
  }

  private void dereference() {
    List<TailChunk> unused = List.of();
    synchronized (this) {
      users--;
      if (users == 0) {
        unused = List.copyOf(chunks);
        chunks.clear();
      }
    }
    memory.recycle(unused);
  }

  /** Rows of a buffer as of one moment. */
  record Slice(RowBuffer of, List<TailChunk> chunks, int rows, RowExtent extent)
      implements AutoCloseable {
    @Override
    public void close() {
      of.dereference();
    }
  }
}
