package io.millrace.analytics.plugin;

import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.FlowBlock;

/**
 * By what flows are dealt out over the parallel copies of an analyzer.
 *
 * @param by in words, for people: {@code country of the source}
 * @param opener makes the hashes of the keys, where the job runs
 */
public record FlowKeys(String by, Opener opener) {
  /** Makes what hashes the rows; called once for each thread that deals flows out. */
  @FunctionalInterface
  public interface Opener {
    /**
     * The hashes of the keys, used by one thread.
     *
     * @param settings those of {@link FlowAnalysis#create}
     */
    RowKeys<FlowBlock> open(Settings settings) throws Exception;
  }

  /** Keys that need no settings. */
  public static FlowKeys of(String by, RowKeys<FlowBlock> rows) {
    return new FlowKeys(by, settings -> rows);
  }
}
