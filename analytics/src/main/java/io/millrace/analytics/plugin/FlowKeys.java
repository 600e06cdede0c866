package io.millrace.analytics.plugin;

import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.FlowBlock;

/**
 * Partitioning of flows over the parallel copies of an analyzer.
 *
 * @param by description for people: {@code country of the source}
 * @param opener creates the hash function, where the job runs
 */
public record FlowKeys(String by, Opener opener) {
  /** Factory of hash functions; called once for each thread that partitions flows. */
  @FunctionalInterface
  public interface Opener {
    /**
     * Hash function of the keys, used by one thread.
     *
     * @param settings those of {@link FlowAnalysis#create}
     */
    RowKeys<FlowBlock> open(Settings settings) throws Exception;
  }

  /** Keys without settings. */
  public static FlowKeys of(String by, RowKeys<FlowBlock> rows) {
    return new FlowKeys(by, settings -> rows);
  }
}
