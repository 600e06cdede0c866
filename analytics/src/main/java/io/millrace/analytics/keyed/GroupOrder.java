package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import java.util.Arrays;

/**
 * Entries in the order of their key groups, by a counting sort over the hashes. Sorted when it is
 * first asked, which is in the thread that writes a snapshot.
 *
 * <p>Whole columns are moved with {@link #arrange}: read from front to back, and written to as many
 * places at a time as there are groups, each from front to back too. To look up the entries of one
 * group after the other ({@link #of}) touches a cache line for each number and is five times as
 * slow; it is for what is small.
 *
 * <p>Entries of one group keep their order, in a {@link KeyTable}'s snapshot too: so what an
 * analyzer keeps beside a table, by the entry's number, is written and read back in the same order.
 * Not thread-safe.
 */
public final class GroupOrder {
  private final KeyGroups groups;
  private int[] hashes;
  private int size;
  private boolean isSorted;

  /** Of each entry, where it stands in the order of the groups. */
  private int[] places = {};

  /** Where each group of the range starts in the order; one more for the end. */
  private int[] starts;

  private int[] order;

  /**
   * An order that is not sorted yet.
   *
   * @param groups the range
   * @param hashes of the entries, all of groups in the range; not changed any more
   */
  public GroupOrder(KeyGroups groups, int[] hashes) {
    this.groups = groups;
    reset(hashes, hashes.length);
  }

  /** Starts anew with the first hashes of an array, in the memory of the order before. */
  void reset(int[] hashes, int size) {
    this.hashes = hashes;
    this.size = size;
    isSorted = false;
    order = null;
  }

  /** Whether no entry is in a group of the range. */
  public boolean isEmpty(int group) {
    return count(group) == 0;
  }

  /** Place of a group's first entry in the order. */
  int start(int group) {
    sort();
    return starts[group - groups.first()];
  }

  /** Number of a group's entries. */
  int count(int group) {
    sort();
    int i = group - groups.first();
    return starts[i + 1] - starts[i];
  }

  /** Moves numbers of entries, {@code longs} of each, to the places of the entries. */
  void arrange(long[] from, int longs, long[] to) {
    sort();
    if (longs == 1) {
      for (int entry = 0; entry < size; entry++) {
        to[places[entry]] = from[entry];
      }
      return;
    }
    for (int entry = 0; entry < size; entry++) {
      System.arraycopy(from, entry * longs, to, places[entry] * longs, longs);
    }
  }

  /** As above, one number an entry. */
  void arrange(int[] from, int[] to) {
    sort();
    for (int entry = 0; entry < size; entry++) {
      to[places[entry]] = from[entry];
    }
  }

  /** The entries of a group. */
  public int[] of(int group) {
    sort();
    if (order == null) {
      order = new int[size];
      for (int entry = 0; entry < size; entry++) {
        order[places[entry]] = entry;
      }
    }
    int start = start(group);
    return Arrays.copyOfRange(order, start, start + count(group));
  }

  private void sort() {
    if (isSorted) {
      return;
    }
    if (places.length < size) {
      places = new int[hashes.length];
    }
    int[] next = new int[groups.size() + 1];
    for (int entry = 0; entry < size; entry++) { // first of the group, then of the entry in it
      int group = groups.groupOf(hashes[entry]) - groups.first();
      places[entry] = group;
      next[group + 1]++;
    }
    for (int i = 1; i < next.length; i++) {
      next[i] += next[i - 1];
    }
    starts = next.clone();
    for (int entry = 0; entry < size; entry++) {
      places[entry] = next[places[entry]]++;
    }
    isSorted = true;
  }
}
