package io.millrace.engine.sink;

import io.millrace.engine.UnmendableException;
import io.millrace.wire.block.Frontier;
import java.util.ArrayList;
import java.util.List;

/**
 * What the log can still give, compared with what a job wants to read again.
 *
 * @param begin oldest offset of each partition
 * @param end first offset behind each partition
 */
record LogHorizon(Frontier begin, Frontier end) {

  /**
   * The frontier to which a store can be rewound without losing rows that cannot be read again.
   *
   * @throws UnmendableException if the log ends before the frontier: it is not the log that the
   *     rows came from, and its offsets will name other values
   */
  Frontier rewindable(Frontier wanted) {
    wanted
        .next()
        .forEach(
            (partition, offset) -> {
              if (offset > end.next(partition)) {
                throw new UnmendableException(
                    "the store and checkpoint cover partition "
                        + partition
                        + " of the log up to offset "
                        + offset
                        + ", but the log ends at "
                        + end.next(partition)
                        + ": it was replaced or has lost its end; bring the old log back, or start"
                        + " with an empty data directory");
              }
            });
    return wanted.union(begin);
  }

  /** What was deleted from the log before it was read, a line a partition; empty if nothing was. */
  List<String> holes(Frontier wanted) {
    List<String> holes = new ArrayList<>();
    begin
        .next()
        .forEach(
            (partition, oldest) -> {
              long next = wanted.next(partition);
              if (next < oldest) {
                holes.add(
                    "partition "
                        + partition
                        + " of the log begins at offset "
                        + oldest
                        + ", wanted from "
                        + next
                        + ": rows stored from these "
                        + (oldest - next)
                        + " values are kept, those not stored are lost");
              }
            });
    return holes;
  }
}
