package io.millrace.analytics.keyed;

import java.util.Arrays;

/**
 * How a group's entries differ between two snapshots: places of entries of the earlier one that are
 * gone, and of entries of the later one that are new or have other values. An entry that has moved
 * may be in both. To be applied in this order.
 *
 * <p>Entries of a group keep their order, but for those that are removed and the last ones of the
 * table, which take their places. So both lists are walked side by side, and where they differ a
 * few steps ahead find the place where they go on alike.
 */
final class EntryChanges {
  private static final int AHEAD = 8;

  private final int[] gone;
  private final int[] set;

  private EntryChanges(int[] gone, int[] set) {
    this.gone = gone;
    this.set = set;
  }

  /** Places in the earlier columns. */
  int[] gone() {
    return gone;
  }

  /** Places in the later columns. */
  int[] set() {
    return set;
  }

  boolean isNone() {
    return gone.length == 0 && set.length == 0;
  }

  static EntryChanges of(int group, EntryColumns before, EntryColumns now) {
    int then = before.start(group);
    int thenEnd = then + before.count(group);
    int at = now.start(group);
    int end = at + now.count(group);
    Places gone = new Places();
    Places set = new Places();
    while (then < thenEnd && at < end) {
      if (now.isSameKey(at, before, then)) {
        if (!now.isSameValues(at, before, then)) {
          set.add(at);
        }
        then++;
        at++;
        continue;
      }
      int goneUntil = gap(now, at, before, then, thenEnd);
      int setUntil = goneUntil > then ? at : gap(before, then, now, at, end);
      if (goneUntil == then && setUntil == at) { // one in the place of another
        goneUntil++;
        setUntil++;
      }
      for (; then < goneUntil; then++) {
        gone.add(then);
      }
      for (; at < setUntil; at++) {
        set.add(at);
      }
    }
    for (; then < thenEnd; then++) {
      gone.add(then);
    }
    for (; at < end; at++) {
      set.add(at);
    }
    return new EntryChanges(gone.toArray(), set.toArray());
  }

  /** The place, a few steps on, of a key of other columns; the first place if it is not there. */
  private static int gap(EntryColumns key, int keyAt, EntryColumns in, int from, int end) {
    for (int place = from + 1; place < Math.min(end, from + 1 + AHEAD); place++) {
      if (in.isSameKey(place, key, keyAt)) {
        return place;
      }
    }
    return from;
  }

  private static final class Places {
    private int[] places = new int[16];
    private int size;

    void add(int place) {
      if (size == places.length) {
        places = Arrays.copyOf(places, size * 2);
      }
      places[size++] = place;
    }

    int[] toArray() {
      return Arrays.copyOf(places, size);
    }
  }
}
