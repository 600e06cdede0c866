package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.KeyBlock;

/**
 * Rows of a kind that wait until there are some of their group, to be counted together: memory
 * answers to many at once as soon as to one.
 *
 * <pre>
 *   row of a group  | weight | variance | the key's words |
 * </pre>
 *
 * A row is written once, beside the others of its group, and read once. Not thread-safe.
 */
final class WaitingRows {
  /** Rows of a group: enough to find a table and its sketches only now and then. */
  static final int MOST = 64;

  private static final int WORDS = 2;

  private final int stride;
  private final long[] cells;
  private final int[] counts = new int[HitterSettings.GROUPS];

  /** What was taken last. */
  private final KeyBlock taken;

  /** None yet, of keys of a kind. */
  WaitingRows(HitterKind kind) {
    stride = WORDS + kind.words();
    cells = new long[HitterSettings.GROUPS * MOST * stride];
    taken = KeyBlock.withVariances(kind.bytes(), MOST);
  }

  /**
   * Adds a row, for which the group has room.
   *
   * @param words the keys, by word
   * @return how many of the group wait
   */
  int add(int group, long weight, long variance, long[][] words, int row) {
    int at = (group * MOST + counts[group]) * stride;
    cells[at] = weight;
    cells[at + 1] = variance;
    for (int word = 0; word < words.length; word++) {
      cells[at + WORDS + word] = words[word][row];
    }
    return ++counts[group];
  }

  /** Whether rows of a group wait. */
  boolean has(int group) {
    return counts[group] > 0;
  }

  /** Takes those of a group, in a block that is used again. */
  KeyBlock take(int group) {
    taken.setRows(0);
    int from = group * MOST * stride;
    for (int at = from; at < from + counts[group] * stride; at += stride) {
      taken.add(cells, at + WORDS, cells[at], cells[at + 1]);
    }
    counts[group] = 0;
    return taken;
  }
}
