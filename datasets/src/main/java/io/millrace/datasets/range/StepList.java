package io.millrace.datasets.range;

import io.millrace.datasets.Dataset;
import java.util.Arrays;

/**
 * Collects the steps of a function from addresses to records, which is constant from each step to
 * the next. The address space is cut into blocks: for IPv4 by the upper 24 bits, for IPv6 by the
 * upper 64; the remaining bits are the place in the block. There is at most one step a block here;
 * blocks in which the record changes refer to a group of {@link InnerSteps} instead of a record.
 * The first block always has a step, so that every block has one at or before it.
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

  /**
   * A function that is {@link Dataset#UNKNOWN} everywhere.
   *
   * @param lastBlock the largest block number, unsigned
   * @param inner takes the steps inside of blocks
   */
  StepList(long lastBlock, InnerSteps inner) {
    this.lastBlock = lastBlock;
    this.inner = inner;
  }

  /** Adds a step. Steps are added in ascending order of their addresses, each address once. */
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

  /** Ends the function: the record of the last step holds up to the last address. */
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
