package io.millrace.store.iceberg;

import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.duckdb.ChunkFunction;

/** Buffered rows as of one moment, which a table function returns until this is closed. */
final class TailView implements AutoCloseable {
  private static final int PARTS = FlowPart.values().length;

  private final long number;
  private final Map<FlowPart, List<ChunkFunction.Chunk>> chunks = new EnumMap<>(FlowPart.class);
  private final Map<FlowPart, RowExtent> extents = new EnumMap<>(FlowPart.class);
  private final Consumer<TailView> closing;

  /** The visible rows of a chunk. */
  private record Part(TailChunk chunk, int rows) implements ChunkFunction.Chunk {
    @Override
    public ByteBuffer values(int column) {
      return chunk.values(column);
    }

    @Override
    public long[] validity(int column) {
      return chunk.validity(column);
    }
  }

  /**
   * Creates a view.
   *
   * @param number unique among the views of the table, from 1
   * @param slices closed by the caller, after this
   */
  TailView(long number, List<RowBuffer.Slice> slices, Consumer<TailView> closing) {
    this.number = number;
    this.closing = closing;
    for (FlowPart part : FlowPart.values()) {
      chunks.put(part, new ArrayList<>());
      extents.put(part, RowExtent.NONE);
    }
    for (RowBuffer.Slice slice : slices) {
      extents.merge(slice.of().part(), slice.extent(), RowExtent::and);
      int left = slice.rows();
      for (TailChunk chunk : slice.chunks()) {
        int rows = Math.min(left, TailChunk.CAPACITY);
        if (rows > 0) {
          chunks.get(chunk.part()).add(new Part(chunk, rows));
        }
        left -= rows;
      }
    }
  }

  /** Argument of the table function that selects the rows of a part. */
  long handle(FlowPart part) {
    return number * PARTS + part.ordinal();
  }

  List<ChunkFunction.Chunk> chunks(FlowPart part) {
    return chunks.get(part);
  }

  /** Bounds of the rows of a part. */
  RowExtent extent(FlowPart part) {
    return extents.get(part);
  }

  @Override
  public void close() {
    closing.accept(this);
  }
}
