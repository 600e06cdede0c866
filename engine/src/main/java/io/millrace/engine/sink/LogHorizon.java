package io.millrace.engine.sink;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LogPartition;
import io.millrace.wire.sink.UnrecoverableException;
import java.util.ArrayList;
import java.util.List;

/** Retained offsets of the log by partition number; rows of earlier epochs are kept. */
record LogHorizon(Frontier begin, Frontier end, int epoch) {

  /**
   * The frontier to which a store can be rewound without losing rows that cannot be read again.
   *
   * @throws UnrecoverableException if the log ends before it: values are lost, or it was replaced
   */
  Frontier rewindable(Frontier wanted) {
    wanted
        .next()
        .forEach(
            (number, offset) -> {
              if (LogPartition.epoch(number) >= epoch && offset > end.next(number)) {
                throw new UnrecoverableException(
                    "the log ends at offset %d of partition %d, but rows up to offset %d are stored: it lost values or was replaced while the job ran; restart Millrace (on a cluster, submit the job again): stored rows are kept, and new values are read as another epoch of the log"
                        .formatted(end.next(number), LogPartition.partition(number), offset));
              }
            });
    return wanted.union(begin);
  }

  /** Messages about values deleted from the log before they were read, one line per partition. */
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
                        + ", but the job resumes at "
                        + next
                        + ": stored rows of these "
                        + (oldest - next)
                        + " values are kept, others are lost");
              }
            });
    return holes;
  }
}
