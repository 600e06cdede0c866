package io.millrace.server.runtime;

import io.millrace.engine.job.JobStatusReport;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.store.FlowTable;
import io.millrace.store.Store;
import io.millrace.store.remote.StoreServer;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What this process knows of a job that runs on a cluster: the rows that it brings. Restarts,
 * checkpoints and lag are for the cluster's own dashboard to tell. Thread-safe.
 */
final class JobElsewhere implements Supplier<JobStatusReport> {
  /** The state of a job of which some subtask is connected. */
  static final String ON_CLUSTER = "ON_CLUSTER";

  /** The state where none is. */
  static final String ABSENT = "ABSENT";

  private static final long UNKNOWN = -1;

  private final Supplier<FlowTable> table;
  private final StoreServer door;
  private final long rowsBefore;

  JobElsewhere(Supplier<FlowTable> table, StoreServer door) {
    this.table = table;
    this.door = door;
    this.rowsBefore = table.get().rows();
  }

  @Override
  public JobStatusReport get() {
    int writers = door.counts().open();
    long rows = Math.max(0, table.get().rows() - rowsBefore); // a rewind may take away older ones
    return new JobStatusReport(
        FlowsPipeline.NAME,
        door.writers(Store.FLOWS) > 0 ? ON_CLUSTER : ABSENT,
        UNKNOWN,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        UNKNOWN,
        // What was decoded is known only by what was stored of it.
        Map.of("decode.rowsOut", rows, "store.rowsStored", rows, "store.writers", (long) writers));
  }
}
