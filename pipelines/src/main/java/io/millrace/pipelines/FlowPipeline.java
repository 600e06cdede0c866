package io.millrace.pipelines;

import io.millrace.wire.block.FlowBlock;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * A pipeline behind joined flows: its steps are part of the job that reads them, so the log is
 * decoded and joined once for all of them. Plugins are such pipelines.
 */
public interface FlowPipeline extends Pipeline {
  /** Where its flows come from. */
  default FlowInput input() {
    return FlowInput.FLOWS;
  }

  @Override
  default String jobName() {
    return input().jobName();
  }

  /**
   * Adds the steps, each with a uid that is never to be changed and holds the pipeline's name, so
   * that its state is found whatever other pipelines come and go.
   *
   * @param flows blocks that the store and other pipelines have in their hands too: whoever changes
   *     or keeps one copies it
   */
  void addTo(DataStream<FlowBlock> flows, Run run);
}
