package io.millrace.datasets.range;

import io.millrace.datasets.Dataset;
import java.util.Arrays;

/**
 * Collects the steps of a step function from addresses to records. The address space is divided
 * into blocks: for IPv4 by the upper 24 bits, for IPv6 by the upper 64; the remaining bits are the
 * position in the block. A block has at most one step here; blocks in which the record changes
 * refer to a group of {@link InnerSteps}. The first block always has a step, so that every block
 * has one at or before it.
 */
final class StepList {
  private final long lastBlock;
  private final InnerSteps inner;
  private long[] blocks = new long[1024];
  private int[] slots = new int[1024];
  private int size;

  private long openBlock;
  private int openSlot = Dataset.UNKNOWN;
  private boolean openIsGroup;
  private int record = Dataset.UNKNOWN;

  /** A list that maps all addresses to {@link Dataset#UNKNOWN}; {@code lastBlock} is unsigned. */
  StepList(long lastBlock, InnerSteps inner) {
    this.lastBlock = lastBlock;
    this.inner = inner;
  }

  /** Adds a step; addresses must be distinct and ascending. */
  void add(long block, long place, int newRecord) {
    if (newRecord == record) {
      return;
    }
    if (block != openBlock) {
      closeBlock();
      openBlock = block;
      openSlot = record;
    }
    if (place == 0) {
      openSlot = newRecord;
    } else {
      if (!openIsGroup) {
        openIsGroup = true;
        int atStart = openSlot;
        openSlot = inner.newGroup();
        inner.add(0, atStart);
      }
      inner.add(place, newRecord);
    }
    record = newRecord;
  }

  /** Extends the last step to the last address. */
  void finish() {
    closeBlock();
  }

  private void closeBlock() {
    push(openBlock, openSlot);
    if (openIsGroup && openBlock != lastBlock) {
      push(openBlock + 1, record);
    }
    openIsGroup = false;
  }

  private void push(long block, int slot) {
    if (size > 0 && blocks[size - 1] == block) {
      slots[size - 1] = slot;
      return;
    }
    if (size == blocks.length) {
      blocks = Arrays.copyOf(blocks, size * 2);
      slots = Arrays.copyOf(slots, size * 2);
    }
    blocks[size] = block;
    slots[size++] = slot;
  }

  int size() {
    return size;
  }

  long block(int i) {
    return blocks[i];
  }

  int slot(int i) {
    return slots[i];
  }
}
