package io.millrace.analytics.keyed;

import java.util.Arrays;

/** Open addressing with linear probing, at most half full. The table has the hashes. */
final class EntryIndex {
  static final int FREE = -1;

  private int[] entries;

  EntryIndex(int length) {
    entries = new int[length];
    Arrays.fill(entries, FREE);
  }

  /** Entries by slot, a power of two; replaced when the index grows. */
  int[] entries() {
    return entries;
  }

  void reserve(int capacity, int[] hashes, int size) {
    if (entries.length < 2L * capacity) {
      entries = new int[Integer.highestOneBit(capacity - 1) << 2];
      Arrays.fill(entries, FREE);
      for (int entry = 0; entry < size; entry++) {
        add(hashes[entry], entry);
      }
    }
  }

  void add(int hash, int entry) {
    int mask = entries.length - 1;
    int at = hash & mask;
    while (entries[at] != FREE) {
      at = (at + 1) & mask;
    }
    entries[at] = entry;
  }

  /** Removes an entry and renumbers the last one; {@code hashes} are those before the removal. */
  void remove(int entry, int last, int[] hashes) {
    free(placeOf(entry, hashes), hashes);
    if (entry != last) {
      entries[placeOf(last, hashes)] = entry;
    }
  }

  private int placeOf(int entry, int[] hashes) {
    int mask = entries.length - 1;
    int at = hashes[entry] & mask;
    while (entries[at] != entry) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private void free(int place, int[] hashes) {
    int mask = entries.length - 1;
    int gap = place;
    for (int at = (gap + 1) & mask; entries[at] != FREE; at = (at + 1) & mask) {
      int home = hashes[entries[at]] & mask;
      if (((at - home) & mask) >= ((at - gap) & mask)) {
        entries[gap] = entries[at];
        gap = at;
      }
    }
    entries[gap] = FREE;
  }
}
