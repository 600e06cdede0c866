package io.millrace.pipelines;

import io.millrace.store.Store;

/** Origin of the flows of a {@link FlowPipeline}. */
public enum FlowInput {
  /** Flows sent by exporters. */
  FLOWS(Store.FLOWS),
  /** Captured packets, each of them a flow. */
  PACKETS("packets");

  private final String jobName;

  FlowInput(String jobName) {
    this.jobName = jobName;
  }

  /** Name of the job that reads them. */
  public String jobName() {
    return jobName;
  }
}
