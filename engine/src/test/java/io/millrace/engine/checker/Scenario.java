package io.millrace.engine.checker;

import io.millrace.wire.block.Frontier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Input of the sources: two partitions of a log that can be read again from any offset.
 *
 * @param partitions the inputs of each, by offset
 */
record Scenario(List<List<Input>> partitions) {
  /** Sums above this are emitted and restart at 0. */
  static final long THRESHOLD = 12;

  static final int KEYS = 2;

  private static final int MAX = 6;
  private static final int GREATEST = 9;

  /** A number that is added to the sum of its key. */
  record Input(int key, long number) {}

  /** Random inputs; the same for the same seed. */
  static Scenario of(long seed) {
    Random random = new Random(seed);
    List<List<Input>> partitions = new ArrayList<>();
    for (int partition = 0; partition < 2; partition++) {
      List<Input> inputs = new ArrayList<>();
      int length = MAX - random.nextInt(2);
      for (int offset = 0; offset < length; offset++) {
        inputs.add(new Input(random.nextInt(KEYS), 1 + random.nextInt(GREATEST)));
      }
      partitions.add(List.copyOf(inputs));
    }
    return new Scenario(List.copyOf(partitions));
  }

  /**
   * End of the log; if two sources share a partition number in the sink, the end of the longer one.
   */
  Frontier end(Breakage breakage) {
    Map<Integer, Long> end = new TreeMap<>();
    for (int i = 0; i < partitions.size(); i++) {
      end.merge(partition(i, breakage), (long) partitions.get(i).size(), Math::max);
    }
    return new Frontier(end);
  }

  /** The sink's partition of a source. */
  static int partition(int source, Breakage breakage) {
    return breakage == Breakage.SOURCES_NOT_DISTINGUISHED ? 0 : source;
  }

  /** The subtask of a key. */
  static int subtask(int key, int parallelism) {
    return key % parallelism;
  }
}
