package io.millrace.analytics.keyed;

import io.millrace.analytics.KeyGroups;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Pool of arrays for snapshots. Reusing those of a released snapshot saves page faults with
 * zeroing, which cost more than the copy, and long-lived arrays cost the garbage collector nothing.
 *
 * <p>One set of arrays is kept between snapshots. While the previous snapshot is still being
 * written, the next one gets a second set, and the set released last is kept. The analyzer's thread
 * acquires, any thread releases.
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

  EntryColumns take(int size, int max) {
    EntryColumns taken = spare.getAndSet(null);
    return taken != null && taken.fits(size)
        ? taken
        : new EntryColumns(groups, keyLongs, columns, Math.min(max, size + (size >>> 3)));
  }

  void release(EntryColumns columns) {
    spare.set(columns);
  }

  void clear() {
    spare.set(null);
  }
}
