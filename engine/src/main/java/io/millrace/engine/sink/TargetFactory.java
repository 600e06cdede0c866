package io.millrace.engine.sink;

import io.millrace.engine.operator.Subtask;
import io.millrace.wire.block.Block;
import java.io.Serializable;

/**
 * Makes a target for each subtask, where the subtask runs. Travels with the job by Java
 * serialisation: it holds settings and paths, nothing that is open.
 *
 * @param <B> the blocks that are stored
 * @param <P> how far the store is covered
 */
@FunctionalInterface
public interface TargetFactory<B extends Block, P> extends Serializable {
  /** A new target, not opened. */
  RewindableTarget<B, P> create(Subtask subtask) throws Exception;
}
