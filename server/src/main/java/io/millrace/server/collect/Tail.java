package io.millrace.server.collect;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * The end of the log, read at start to count what was logged after the last save. Restricted to
 * batches of this collector.
 */
@FunctionalInterface
public interface Tail {
  /** A log without newer values. */
  Tail EMPTY = (from, batches) -> {};

  /**
   * Passes on every batch after the frontier, up to the log's end at the time of the call, in
   * approximate order of arrival (exact in a partition).
   */
  void read(Frontier from, Consumer<RawBatch> batches) throws IOException;

  /**
   * The part of a frontier that the log still has: less than saved if the log lost values or is
   * another one.
   */
  default Frontier within(Frontier saved) throws IOException {
    return saved;
  }
}
