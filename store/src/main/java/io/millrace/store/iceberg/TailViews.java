package io.millrace.store.iceberg;

import io.millrace.store.duckdb.schema.FlowPart;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.duckdb.ChunkFunction;

/** Buffered rows that the table function returns, by handle. Thread-safe. */
final class TailViews {
  private final Map<Long, List<ChunkFunction.Chunk>> chunks = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();

  /** The rows of a handle; empty if the handle is unknown. */
  List<ChunkFunction.Chunk> chunks(long handle) {
    return chunks.getOrDefault(handle, List.of());
  }

  /** Assigns handles to rows, until the view is closed. */
  TailView register(List<RowBuffer.Slice> slices) {
    TailView view = new TailView(numbers.incrementAndGet(), slices, this::unregister);
    for (FlowPart part : FlowPart.values()) {
      if (!view.chunks(part).isEmpty()) {
        chunks.put(view.handle(part), view.chunks(part));
      }
    }
    return view;
  }

  private void unregister(TailView view) {
    for (FlowPart part : FlowPart.values()) {
      chunks.remove(view.handle(part));
    }
  }
}
