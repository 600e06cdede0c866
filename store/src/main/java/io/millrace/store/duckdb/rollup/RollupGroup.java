package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.rollup.StoredRollup;
import io.millrace.wire.block.Frontier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sets that are rolled up together because they have reached the same log position, and their next
 * range.
 *
 * @param sets at least one set
 * @param range next log range; not empty
 * @param isNewest whether no other set is ahead
 */
record RollupGroup(List<StoredRollup> sets, LogRange range, boolean isNewest) {

  /**
   * Next sets and range to roll up; null if there are none. Sets that were declared later first
   * catch up with the others; then all form one group.
   */
  static RollupGroup next(List<StoredRollup> sets, Frontier committed) {
    Map<Frontier, List<StoredRollup>> groups = new LinkedHashMap<>();
    Frontier furthest = Frontier.EMPTY;
    for (StoredRollup set : sets) {
      groups.computeIfAbsent(set.rolled(), rolled -> new ArrayList<>()).add(set);
      furthest = furthest.union(set.rolled());
    }
    for (Map.Entry<Frontier, List<StoredRollup>> group : groups.entrySet()) {
      LogRange lagging = new LogRange(group.getKey(), furthest);
      if (!lagging.isEmpty()) {
        return new RollupGroup(group.getValue(), lagging, false);
      }
    }
    LogRange range = new LogRange(furthest, committed);
    return sets.isEmpty() || range.isEmpty() ? null : new RollupGroup(sets, range, true);
  }
}
