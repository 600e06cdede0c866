package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import java.util.Arrays;

/**
 * Order of entries by key group, by a counting sort over the hashes. Sorted at first use, in the
 * thread that writes a snapshot.
 *
 * <p>{@link #arrange} moves whole columns: it reads sequentially and writes sequentially to one
 * place per group. {@link #of} accesses entries group by group, which touches a cache line per
 * number and is five times as slow; use it for small tables.
 *
 * <p>Entries of a group keep their order, also in snapshots of a {@link KeyTable}, so data that an
 * analyzer keeps by entry number is written and read in the same order. Not thread-safe.
 */
public final class GroupOrder {
  private final KeyGroups groups;
  private int[] hashes;
  private int size;
  private boolean isSorted;

  private int[] places = {};

  /** Start of each group of the range; followed by the end of the last. */
  private int[] starts;

  private int[] order;

  /**
   * An unsorted order.
   *
   * @param groups the range
   * @param hashes of the entries, all of groups in the range; must not change
   */
  public GroupOrder(KeyGroups groups, int[] hashes) {
    this.groups = groups;
    reset(hashes, hashes.length);
  }

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

  int start(int group) {
    sort();
    return starts[group - groups.first()];
  }

  int count(int group) {
    sort();
    int i = group - groups.first();
    return starts[i + 1] - starts[i];
  }

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
    for (int entry = 0;
        entry < size;
        entry++) { // first the size of the group, then the position of the entry in it
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
