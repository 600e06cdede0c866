package io.millrace.analytics.keyed;

import java.util.Arrays;

/**
 * Difference of a group's entries between two snapshots: positions of removed entries in the
 * earlier one, and of new or changed entries in the later one. An entry that has moved may be in
 * both. Removals are applied first.
 *
 * <p>Entries of a group keep their order, except that the last entries of the table replace removed
 * ones. So both lists are compared in parallel; after a difference, the common continuation is
 * searched within a few entries.
 */
final class EntryChanges {
  private static final int AHEAD = 8;

  private final int[] gone;
  private final int[] set;

  private EntryChanges(int[] gone, int[] set) {
    this.gone = gone;
    this.set = set;
  }

  int[] gone() {
    return gone;
  }

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
      if (goneUntil == then && setUntil == at) { // a replacement
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
