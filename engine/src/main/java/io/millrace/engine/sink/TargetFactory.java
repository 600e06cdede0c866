package io.millrace.engine.sink;

import io.millrace.engine.operator.Subtask;
import io.millrace.wire.block.Block;
import java.io.Serializable;

/**
 * Makes a target for each subtask, where the subtask runs. Travels with the job by Java
 * serialisation: it holds settings and paths, nothing that is open.
 *
 * @param <B> the blocks that are stored
 */
@FunctionalInterface
public interface TargetFactory<B extends Block> extends Serializable {
  /** A new target, not opened. */
  RewindableTarget<B> create(Subtask subtask) throws Exception;
}
