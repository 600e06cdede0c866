package io.millrace.analytics;

/**
 * A range of key groups: the unit in which keys and their state move between subtasks.
 *
 * <p>The hash of a key determines its group, one of {@link #max()}, permanently. With {@code p}
 * subtasks, subtask {@code i} has the groups from ⌈i·max/p⌉ to ⌈(i+1)·max/p⌉ − 1, as in Flink's
 * {@code KeyGroupRangeAssignment}, so that state written by group can be restored at any
 * parallelism up to {@code max}.
 *
 * @param max number of all groups, 1 to 32,768; must never change for existing state
 * @param first group of the range
 * @param last group of the range, inclusive
 */
public record KeyGroups(int max, int first, int last) {
  /** Default number of groups, which is the maximum parallelism. */
  public static final int DEFAULT_MAX = 128;

  private static final int LARGEST_MAX = 1 << 15;
  private static final int GOLDEN = 0x9E3779B9;

  public KeyGroups {
    if (max < 1 || max > LARGEST_MAX || first < 0 || last >= max || first > last + 1) {
      throw new IllegalArgumentException(
          "key groups " + first + " to " + last + " of " + max + " are not a valid range");
    }
  }

  /** All groups of the default number. */
  public static KeyGroups all() {
    return new KeyGroups(DEFAULT_MAX, 0, DEFAULT_MAX - 1);
  }

  /** The groups of a subtask; none if there are more subtasks than groups. */
  public static KeyGroups of(int max, int subtask, int subtasks) {
    return new KeyGroups(
        max, firstOf(max, subtask, subtasks), firstOf(max, subtask + 1, subtasks) - 1);
  }

  private static int firstOf(int max, int subtask, int subtasks) {
    return (int) (((long) subtask * max + subtasks - 1) / subtasks);
  }

  /**
   * The group of a hash, 0 to {@code max - 1}. Mixes the hash first, so that the keys of one
   * subtask differ in the low bits, which tables use.
   */
  public static int groupOf(int hash, int max) {
    int mixed = hash * GOLDEN;
    mixed ^= mixed >>> 15;
    mixed *= GOLDEN;
    return (int) (((mixed & 0xFFFF_FFFFL) * max) >>> 32); // a multiplication instead of a division
  }

  /** The subtask of a group. */
  public static int subtaskOf(int group, int max, int subtasks) {
    return group * subtasks / max;
  }

  /** The group of a hash. */
  public int groupOf(int hash) {
    return groupOf(hash, max);
  }

  /** Whether the group of the hash is in the range. */
  public boolean holds(int hash) {
    int group = groupOf(hash, max);
    return group >= first && group <= last;
  }

  /** Number of groups in the range. */
  public int size() {
    return last - first + 1;
  }
}
