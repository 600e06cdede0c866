package io.millrace.server.collect;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * End of the log, read at the start to count batches that were logged after the last save. Contains
 * only batches of this collector.
 */
@FunctionalInterface
public interface Tail {
  /** A log without newer batches. */
  Tail EMPTY = (from, batches) -> {};

  /**
   * Reads all batches from the frontier to the current end of the log, in approximate order of
   * arrival (exact within a partition).
   */
  void read(Frontier from, Consumer<RawBatch> batches) throws IOException;

  /**
   * Limits a saved frontier to the log's end, which is earlier if the log has lost values or was
   * replaced.
   */
  default Frontier within(Frontier saved) throws IOException {
    return saved;
  }
}
