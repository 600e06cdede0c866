package io.millrace.server.collect;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * The end of the log, read once at start to count what was logged after the last save. Yields what
 * this collector wrote and nothing of another one.
 */
@FunctionalInterface
public interface Tail {
  /** A log that holds nothing behind the frontier. */
  Tail EMPTY = (from, batches) -> {};

  /**
   * Hands over every batch that the frontier does not cover, up to the log's end at the time of the
   * call, in order of arrival as far as it can be told (the order in a partition is kept).
   */
  void read(Frontier from, Consumer<RawBatch> batches) throws IOException;

  /**
   * How much of a frontier the log still has: less than was saved where it has lost values since,
   * or is another one.
   */
  default Frontier within(Frontier saved) throws IOException {
    return saved;
  }
}
