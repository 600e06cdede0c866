package io.millrace.engine.checker;

import io.millrace.wire.block.RawBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The input channels of a task, with blocks and barriers in FIFO order. A channel whose barrier has
 * arrived is not read until the barrier has arrived on all channels.
 */
final class AlignedInput {
  /** A block, or the barrier of a checkpoint if it is null. */
  private record Item(RawBatch block, long checkpoint) {}

  private static final int CAPACITY = 2;

  private final boolean aligned;
  private final List<Deque<Item>> channels = new ArrayList<>();
  private final boolean[] arrived;

  AlignedInput(int channels, boolean aligned) {
    this.aligned = aligned;
    this.arrived = new boolean[channels];
    for (int i = 0; i < channels; i++) {
      this.channels.add(new ArrayDeque<>());
    }
  }

  int channels() {
    return arrived.length;
  }

  /** Whether the channel accepts another block; it always accepts barriers. */
  boolean hasRoom(int channel) {
    return channels.get(channel).size() < CAPACITY;
  }

  void put(int channel, RawBatch block) {
    channels.get(channel).add(new Item(block, 0));
  }

  void putBarrier(int channel, long checkpoint) {
    channels.get(channel).add(new Item(null, checkpoint));
  }

  boolean isEmpty() {
    return channels.stream().allMatch(Deque::isEmpty);
  }

  boolean readable(int channel) {
    Item head = channels.get(channel).peek();
    return head != null && !(arrived[channel] && (aligned || head.block == null));
  }

  /** The block at the head of the channel; null if a barrier is there. */
  RawBatch head(int channel) {
    return channels.get(channel).element().block;
  }

  void pop(int channel) {
    channels.get(channel).remove();
  }

  /**
   * Takes the barrier at the head of the channel.
   *
   * @return the checkpoint, if the barrier was the last one awaited; 0 otherwise
   */
  long takeBarrier(int channel) {
    long checkpoint = channels.get(channel).remove().checkpoint;
    arrived[channel] = true;
    for (boolean one : arrived) {
      if (!one) {
        return 0;
      }
    }
    java.util.Arrays.fill(arrived, false);
    return checkpoint;
  }
}
