package io.millrace.analytics.keyed;

import java.util.Arrays;

/**
 * Entries in the order of their key groups, by a counting sort: two walks over the hashes. Sorted
 * when it is first asked, which is in the thread that writes an image. Entries of one group keep
 * their order, in a {@link KeyTable}'s image too: so what an analyzer keeps beside a table, by the
 * entry's number, is written and read back in the same order. Not thread-safe.
 */
public final class GroupOrder {
  private final KeyGroups groups;
  private final int[] hashes;
  private int[] order;

  /** Where each group of the range starts in the order; one more for the end. */
  private int[] starts;

  /**
   * An order that is not sorted yet.
   *
   * @param groups the range
   * @param hashes of the entries, all of groups in the range; not changed any more
   */
  public GroupOrder(KeyGroups groups, int[] hashes) {
    this.groups = groups;
    this.hashes = hashes;
  }

  /** Whether no entry is in a group of the range. */
  public boolean isEmpty(int group) {
    sort();
    int i = group - groups.first();
    return starts[i] == starts[i + 1];
  }

  /** The entries of a group. */
  public int[] of(int group) {
    sort();
    int i = group - groups.first();
    return Arrays.copyOfRange(order, starts[i], starts[i + 1]);
  }

  private void sort() {
    if (order != null) {
      return;
    }
    order = new int[hashes.length];
    int[] next = new int[groups.size() + 1];
    for (int hash : hashes) {
      next[groups.groupOf(hash) - groups.first() + 1]++;
    }
    for (int i = 1; i < next.length; i++) {
      next[i] += next[i - 1];
    }
    starts = next.clone();
    for (int entry = 0; entry < hashes.length; entry++) {
      order[next[groups.groupOf(hashes[entry]) - groups.first()]++] = entry;
    }
  }
}
