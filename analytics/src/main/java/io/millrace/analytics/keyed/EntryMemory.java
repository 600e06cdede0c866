package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Where snapshots get their arrays: those of a snapshot that nobody reads any more, or else new
 * ones. A page that the kernel has to give and to clear costs more than the copy into it, and
 * arrays that stay cost the garbage collector nothing.
 *
 * <p>One set of arrays is kept between snapshots. While the snapshot before is still being written,
 * the next one gets a set of its own, and the set that comes back last is kept. The analyzer's
 * thread takes, any thread gives back.
 */
final class EntryMemory {
  private final KeyGroups groups;
  private final int keyLongs;
  private final int columns;
  private final AtomicReference<EntryColumns> spare = new AtomicReference<>();

  EntryMemory(KeyGroups groups, int keyLongs, int columns) {
    this.groups = groups;
    this.keyLongs = keyLongs;
    this.columns = columns;
  }

  /**
   * Arrays for a snapshot.
   *
   * @param size entries that have to fit; an eighth more do, for a table that grows
   * @param most entries for which there is ever room
   */
  EntryColumns take(int size, int most) {
    EntryColumns taken = spare.getAndSet(null);
    return taken != null && taken.fits(size)
        ? taken
        : new EntryColumns(groups, keyLongs, columns, Math.min(most, size + (size >>> 3)));
  }

  void giveBack(EntryColumns columns) {
    spare.set(columns);
  }

  /** Forgets what is kept. */
  void clear() {
    spare.set(null);
  }
}
