package io.millrace.pipelines;

import io.millrace.wire.block.FlowBlock;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A pipeline that reads joined flows: its steps are part of the job that reads them, so the log is
 * decoded and joined once for all of them.
 */
public interface FlowPipeline extends AttachedPipeline {
  /** Origin of its flows. */
  default FlowInput input() {
    return FlowInput.FLOWS;
  }

  @Override
  default String jobName() {
    return input().jobName();
  }

  @Override
  default void addTo(StreamExecutionEnvironment job, Run run) throws Exception {
    addTo(run.flows(job), run);
  }

  void addTo(DataStream<FlowBlock> flows, Run run) throws Exception;
}
