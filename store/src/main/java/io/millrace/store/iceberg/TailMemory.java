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
 * Memory for rows not yet in files, in chunks that are reused. Rows in files that queries still
 * read from memory have a limit of their own: beyond it, sinks wait until whoever runs queries
 * cancels some ({@link #heldBytes}). Chunks stay for reuse as long as so many were needed lately:
 * the JVM frees direct memory only in a garbage collection, so discarded chunks could fill it.
 * Thread-safe.
 */
final class TailMemory {
  private final FlowColumns columns;
  private final long maxBytes;
  private final long maxHeldBytes;
  private final IntFunction<ByteBuffer> allocator;
  private final Map<FlowPart, ArrayDeque<TailChunk>> unused = new EnumMap<>(FlowPart.class);
  private long bytes;
  private long openBytes;
  private long heldBytes;
  private long unusedBytes;
  private long peakBytes; // of rows since the last trim
  private long lastPeakBytes; // of rows between the last two trims

  /**
   * Creates empty memory.
   *
   * @param maxBytes limit for rows not yet in files
   * @param maxHeldBytes limit for rows in files that queries still read
   * @param allocator of chunks, on the heap or outside of it
   */
  TailMemory(
      FlowColumns columns, long maxBytes, long maxHeldBytes, IntFunction<ByteBuffer> allocator) {
    this.columns = columns;
    this.maxBytes = maxBytes;
    this.maxHeldBytes = maxHeldBytes;
    this.allocator = allocator;
    for (FlowPart part : FlowPart.values()) {
      unused.put(part, new ArrayDeque<>());
    }
  }

  /** Returns an empty chunk, even if the limit is reached. */
  synchronized TailChunk take(FlowPart part) {
    int size = TailChunk.bytes(columns, part);
    bytes += size;
    openBytes += size;
    peakBytes = Math.max(peakBytes, bytes + heldBytes);
    TailChunk chunk = unused.get(part).poll();
    if (chunk == null) {
      discardUnused(maxBytes + maxHeldBytes); // those of other parts
      return new TailChunk(columns, part, allocator);
    }
    unusedBytes -= size;
    chunk.clear();
    return chunk;
  }

  /** Discards chunks that were not needed lately; called every few seconds. */
  synchronized void trim() {
    discardUnused(Math.max(peakBytes, lastPeakBytes));
    lastPeakBytes = peakBytes;
    peakBytes = bytes + heldBytes;
  }

  private void discardUnused(long mostBytes) {
    for (ArrayDeque<TailChunk> chunks : unused.values()) {
      while (reservedBytes() > mostBytes && !chunks.isEmpty()) {
        unusedBytes -= TailChunk.bytes(columns, chunks.remove().part());
      }
    }
  }

  synchronized boolean isFull() {
    return bytes >= maxBytes || bytes + heldBytes >= maxBytes + maxHeldBytes;
  }

  /**
   * Whether open buffers have half of the memory, so that they must be written. Buffers ended only
   * when the memory is full would be ever smaller, since most of it belongs to those being written.
   */
  synchronized boolean isHalfOpen() {
    return openBytes >= maxBytes / 2;
  }

  /** A buffer gets no more chunks. */
  synchronized void end(RowBuffer buffer, int chunks) {
    openBytes -= (long) chunks * TailChunk.bytes(columns, buffer.part());
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

  /** The rows of a buffer are in files; its chunks stay until {@link #recycle}. */
  synchronized void release(RowBuffer buffer, int chunks) {
    long size = (long) chunks * TailChunk.bytes(columns, buffer.part());
    bytes -= size;
    heldBytes += size;
    notifyAll();
  }

  /** Nobody reads these chunks of a released buffer any more. */
  synchronized void recycle(List<TailChunk> chunks) {
    for (TailChunk chunk : chunks) {
      int size = TailChunk.bytes(columns, chunk.part());
      heldBytes -= size;
      unused.get(chunk.part()).add(chunk);
      unusedBytes += size;
    }
    notifyAll();
  }

  /** Bytes of rows that are in files, and that queries still read from memory. */
  synchronized long heldBytes() {
    return heldBytes;
  }

  /** Bytes of all chunks that are in use or kept for reuse. */
  synchronized long reservedBytes() {
    return bytes + heldBytes + unusedBytes;
  }
}
