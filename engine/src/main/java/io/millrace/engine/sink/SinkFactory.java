package io.millrace.engine.sink;

import io.millrace.engine.operator.Subtask;
import io.millrace.wire.block.Block;
import io.millrace.wire.sink.BlockSink;
import java.io.Serializable;

/**
 * Opens a sink for each subtask, on its TaskManager. Java-serialised with the job: it holds
 * settings and paths, no open resources.
 *
 * @param <B> the blocks that are stored
 * @param <P> extent to which the store is covered
 */
@FunctionalInterface
public interface SinkFactory<B extends Block, P> extends Serializable {
  /** Opens a new sink, on which {@link BlockSink#begin} was not called yet. */
  BlockSink<B, P> open(Subtask subtask) throws Exception;
}
