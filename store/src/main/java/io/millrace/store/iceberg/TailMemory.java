package io.millrace.store.iceberg;

import io.millrace.store.duckdb.schema.FlowPart;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * Memory for rows not yet in files, in chunks that are reused. Chunks that only queries still read
 * do not count towards the limit, so sinks never wait for a query. Thread-safe.
 */
final class TailMemory {
  private final FlowColumns columns;
  private final long maxBytes;
  private final IntFunction<ByteBuffer> allocator;
  private final Map<FlowPart, ArrayDeque<TailChunk>> unused = new EnumMap<>(FlowPart.class);
  private long bytes;

  /**
   * Creates empty memory.
   *
   * @param maxBytes limit for rows not yet in files
   * @param allocator of chunks, on the heap or outside of it
   */
  TailMemory(FlowColumns columns, long maxBytes, IntFunction<ByteBuffer> allocator) {
    this.columns = columns;
    this.maxBytes = maxBytes;
    this.allocator = allocator;
    for (FlowPart part : FlowPart.values()) {
      unused.put(part, new ArrayDeque<>());
    }
  }

  /** Returns an empty chunk, even if the limit is reached. */
  synchronized TailChunk take(FlowPart part) {
    bytes += TailChunk.bytes(columns, part);
    TailChunk chunk = unused.get(part).poll();
    if (chunk == null) {
      return new TailChunk(columns, part, allocator);
    }
    chunk.clear();
    return chunk;
  }

  synchronized boolean isFull() {
    return bytes >= maxBytes;
  }

  /** Blocks until there is room, or until writing has failed. */
  synchronized void await(BooleanSupplier hasFailed) {
    try {
      while (isFull() && !hasFailed.getAsBoolean()) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Makes waiting threads check again whether writing has failed. */
  synchronized void wake() {
    notifyAll();
  }

  synchronized void release(RowBuffer buffer, int chunks) {
    bytes -= (long) chunks * TailChunk.bytes(columns, buffer.part());
    notifyAll();
  }

  synchronized void recycle(List<TailChunk> chunks) {
    for (TailChunk chunk : chunks) {
      ArrayDeque<TailChunk> free = unused.get(chunk.part());
      if ((long) (free.size() + 1) * TailChunk.bytes(columns, chunk.part()) <= maxBytes / 2) {
        free.add(chunk);
      }
    }
  }
}
