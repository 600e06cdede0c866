package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.Flows;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.wire.block.FlowBlock;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TailMemoryTest {
  private static final FlowColumns COLUMNS = FlowColumns.of(Flows.SCHEMA);
  private static final long MAX_BYTES = 8L * TailChunk.bytes(COLUMNS, FlowPart.RECORDS);

  private final AtomicLong allocatedBytes = new AtomicLong();
  private final TailMemory memory = new TailMemory(COLUMNS, MAX_BYTES, MAX_BYTES, this::allocate);
  private final TailChunk.Scratch scratch = new TailChunk.Scratch();

  private ByteBuffer allocate(int size) {
    allocatedBytes.addAndGet(size);
    return ByteBuffer.allocate(size);
  }

  private RowBuffer full(FlowPart part) {
    RowBuffer buffer = new RowBuffer(part, memory);
    FlowBlock block = part == FlowPart.RECORDS ? Flows.records(100, 0, 0) : Flows.joined(100, 0, 0);
    while (!memory.isFull()) {
      buffer.append(block, List.of(), (ids, n) -> {}, scratch);
    }
    return buffer;
  }

  @Test
  void chunksForReuseCountTowardsTheLimit() {
    long chunk = TailChunk.bytes(COLUMNS, FlowPart.RECORDS);
    RowBuffer open = new RowBuffer(FlowPart.PACKETS, memory);
    open.append(Flows.joined(1, 0, 0), List.of(), (ids, n) -> {}, scratch);
    for (int round = 0; round < 4; round++) {
      RowBuffer packets = full(FlowPart.PACKETS);
      assertThat(memory.reservedBytes()).isLessThan(2 * MAX_BYTES + chunk);
      packets.free();
      assertThat(memory.reservedBytes()).as("kept for reuse").isGreaterThan(MAX_BYTES / 2);
      RowBuffer records = full(FlowPart.RECORDS);
      RowBuffer.Slice read = records.slice();
      records.free();
      RowBuffer others = full(FlowPart.PACKETS);
      assertThat(memory.reservedBytes()).isLessThan(2 * MAX_BYTES + chunk);
      read.close();
      others.free();
    }
    open.free();
    memory.trim();
    assertThat(memory.reservedBytes()).as("needed lately").isGreaterThan(MAX_BYTES);
    memory.trim();
    memory.trim();
    assertThat(memory.reservedBytes()).as("a table without rows").isZero();
  }

  /** Only a garbage collection frees discarded chunks. */
  @Test
  void steadyTrafficAllocatesNoChunkTwice() {
    for (int round = 0; round < 20; round++) {
      RowBuffer first = full(FlowPart.PACKETS);
      RowBuffer.Slice read = first.slice();
      first.free();
      RowBuffer second = full(FlowPart.PACKETS);
      read.close();
      second.free();
      memory.trim();
    }
    assertThat(allocatedBytes.get()).isLessThan(3 * MAX_BYTES);
  }

  @Test
  void sinksWaitForReadersOnlyBeyondTheirLimit() {
    RowBuffer first = full(FlowPart.RECORDS);
    RowBuffer.Slice slow = first.slice();
    RowBuffer.Slice fast = first.slice();
    first.free();
    assertThat(memory.isFull()).isFalse();
    long held = memory.heldBytes();
    assertThat(held).isGreaterThanOrEqualTo(MAX_BYTES);
    RowBuffer second = full(FlowPart.RECORDS);
    RowBuffer.Slice other = second.slice();
    second.free();
    assertThat(memory.isFull()).as("readers hold both").isTrue();
    fast.close();
    assertThat(memory.isFull()).isTrue();
    slow.close();
    assertThat(memory.isFull()).isFalse();
    assertThat(memory.heldBytes()).isPositive();
    other.close();
    assertThat(memory.heldBytes()).isZero();
  }

  @Test
  void buffersBeingWrittenAreNotOpen() {
    RowBuffer first = full(FlowPart.RECORDS);
    assertThat(memory.isHalfOpen()).isTrue();
    first.end();
    RowBuffer second = new RowBuffer(FlowPart.RECORDS, memory);
    second.append(Flows.records(1, 0, 0), List.of(), (ids, n) -> {}, scratch);
    assertThat(memory.isFull()).isTrue();
    assertThat(memory.isHalfOpen()).as("a small buffer is not written").isFalse();
    first.free();
    assertThat(memory.isFull()).isFalse();
    second.free();
    assertThat(memory.isHalfOpen()).isFalse();
  }
}
