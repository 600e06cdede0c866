package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.KeyBlock;

/**
 * Rows of a kind buffered by group to be counted together, so that memory accesses overlap.
 *
 * <pre>
 *   row of a group  | weight | variance | the key's words |
 * </pre>
 *
 * A row is written once, adjacent to the others of its group, and read once. Not thread-safe.
 */
final class WaitingRows {
  /** Buffered rows of a group: enough to amortise the look-up of its table and sketches. */
  static final int MAX = 64;

  private static final int WORDS = 2;

  private final int stride;
  private final long[] cells;
  private final int[] counts = new int[HitterSettings.GROUPS];

  private final KeyBlock taken;

  WaitingRows(HitterKind kind) {
    stride = WORDS + kind.words();
    cells = new long[HitterSettings.GROUPS * MAX * stride];
    taken = KeyBlock.withVariances(kind.bytes(), MAX);
  }

  /**
   * Adds a row; the group must not be full.
   *
   * @param words the keys, by word
   * @return number of the group's buffered rows
   */
  int add(int group, long weight, long variance, long[][] words, int row) {
    int at = (group * MAX + counts[group]) * stride;
    cells[at] = weight;
    cells[at + 1] = variance;
    for (int word = 0; word < words.length; word++) {
      cells[at + WORDS + word] = words[word][row];
    }
    return ++counts[group];
  }

  boolean has(int group) {
    return counts[group] > 0;
  }

  KeyBlock take(int group) {
    taken.setRows(0);
    int from = group * MAX * stride;
    for (int at = from; at < from + counts[group] * stride; at += stride) {
      taken.add(cells, at + WORDS, cells[at], cells[at + 1]);
    }
    counts[group] = 0;
    return taken;
  }
}
