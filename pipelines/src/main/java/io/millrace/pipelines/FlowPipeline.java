package io.millrace.pipelines;

import io.millrace.engine.log.LogTopics;
import io.millrace.store.Store;
import io.millrace.wire.block.FlowBlock;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * A pipeline behind the joined flows: its steps are part of the job of flows, so the log is decoded
 * and joined once for all of them. Plugins are such pipelines.
 */
public interface FlowPipeline extends Pipeline {
  @Override
  default String jobName() {
    return Store.FLOWS;
  }

  /** Makes the topics that it writes where they are missing. */
  default void ensureTopics(LogTopics topics) {}

  /**
   * Adds the steps, each with a uid that is never to be changed and holds the pipeline's name, so
   * that its state is found whatever other pipelines come and go.
   *
   * @param flows blocks that the store and other pipelines have in their hands too: whoever changes
   *     or keeps one copies it
   */
  void addTo(DataStream<FlowBlock> flows, Run run);
}
