package io.millrace.engine.operator;

import io.millrace.analytics.Analyzer;
import io.millrace.wire.block.Block;
import java.io.Serializable;

/**
 * Makes an analyzer for each subtask, where the subtask runs. Travels with the job by Java
 * serialisation: it holds settings and paths, nothing that is open.
 *
 * @param <I> the blocks that go in
 * @param <O> the blocks that come out
 */
@FunctionalInterface
public interface AnalyzerFactory<I extends Block, O extends Block> extends Serializable {
  /** A new analyzer, not opened. */
  Analyzer<I, O> create(Subtask subtask) throws Exception;
}
