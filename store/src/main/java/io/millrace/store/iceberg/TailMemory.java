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
 * Memory of rows without a file. Chunks are used again. Chunks that only queries still read do not
 * count: rows never wait for a reader. Thread-safe.
 */
final class TailMemory {
  private final FlowColumns columns;
  private final long mostBytes;
  private final IntFunction<ByteBuffer> allocator;
  private final Map<FlowPart, ArrayDeque<TailChunk>> unused = new EnumMap<>(FlowPart.class);
  private long bytes;

  /**
   * An empty memory.
   *
   * @param mostBytes of rows that are on no file yet
   * @param allocator on the heap or outside of it
   */
  TailMemory(FlowColumns columns, long mostBytes, IntFunction<ByteBuffer> allocator) {
    this.columns = columns;
    this.mostBytes = mostBytes;
    this.allocator = allocator;
    for (FlowPart part : FlowPart.values()) {
      unused.put(part, new ArrayDeque<>());
    }
  }

  /** A cleared chunk, beyond the bound if need be. */
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
    return bytes >= mostBytes;
  }

  /** Waits until there is room, or none is to be expected. */
  synchronized void await(BooleanSupplier isInVain) {
    try {
      while (isFull() && !isInVain.getAsBoolean()) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Wakes waiting writers, which check again whether waiting is useful. */
  synchronized void wake() {
    notifyAll();
  }

  synchronized void uncount(Stretch stretch, int chunks) {
    bytes -= (long) chunks * TailChunk.bytes(columns, stretch.part());
    notifyAll();
  }

  synchronized void giveBack(List<TailChunk> chunks) {
    for (TailChunk chunk : chunks) {
      ArrayDeque<TailChunk> free = unused.get(chunk.part());
      if ((long) (free.size() + 1) * TailChunk.bytes(columns, chunk.part()) <= mostBytes / 2) {
        free.add(chunk);
      }
    }
  }
}
