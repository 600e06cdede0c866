package io.millrace.pipelines;

import io.millrace.store.Store;

/** Where the flows come from that a {@link FlowPipeline} gets. */
public enum FlowInput {
  /** Flows that exporters have sent. */
  FLOWS(Store.FLOWS),
  /** Packets of captures, each of them a flow. */
  PACKETS("packets");

  private final String jobName;

  FlowInput(String jobName) {
    this.jobName = jobName;
  }

  /** Name of the job that reads them, of which the pipeline's steps are part. */
  public String jobName() {
    return jobName;
  }
}
