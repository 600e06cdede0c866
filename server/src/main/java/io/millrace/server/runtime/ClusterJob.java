package io.millrace.server.runtime;

import io.millrace.engine.job.JobStatusReport;
import io.millrace.engine.sink.RewindableSink;
import io.millrace.pipelines.LogPipeline;
import io.millrace.store.Store;
import io.millrace.store.remote.StoreServer;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What this process knows of a job that runs on a cluster: the rows that it brings. Restarts,
 * checkpoints and lag are for the cluster's own dashboard to tell. Thread-safe.
 */
final class JobElsewhere implements Supplier<JobStatusReport> {
  /** The state of a job of which some subtask is connected. */
  static final String ON_CLUSTER = "ON_CLUSTER";

  /** The state that is told of a job that does not run. */
  static final String ABSENT = "ABSENT";

  private static final long UNKNOWN = -1;

  private final LogPipeline pipeline;
  private final String table;
  private final StoreServer listener;

  /** In its table; absent for results, whose number does not tell how many were brought. */
  private final Optional<LongSupplier> rows;

  private final long rowsBefore;

  /**
   * Looks at what comes into a store that listens.
   *
   * @param table that it writes
   */
  JobElsewhere(LogPipeline pipeline, String table, OpenStore store) {
    this.pipeline = pipeline;
    this.table = table;
    listener = store.listener().orElseThrow();
    boolean isOfFlows = table.equals(Store.FLOWS);
    rows = isOfFlows ? Optional.of(() -> store.figures().rows()) : Optional.empty();
    rowsBefore = rows.map(LongSupplier::getAsLong).orElse(0L);
  }

  String name() {
    return pipeline.name();
  }

  @Override
  public JobStatusReport get() {
    Map<String, Long> counters = new TreeMap<>();
    rows.ifPresent(
        now -> {
          // A rewind may delete older rows. How much was decoded is known only by what of it was
          // stored.
          long brought = Math.max(0, now.getAsLong() - rowsBefore);
          counters.put(pipeline.inCounter(), brought);
          counters.put(pipeline.storeSteps().get(0) + '.' + RewindableSink.ROWS, brought);
        });
    counters.put("store.writers", (long) listener.counts().open());
    return new JobStatusReport(
        pipeline.name(),
        listener.writers(table) > 0 ? ON_CLUSTER : ABSENT,
        UNKNOWN,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        UNKNOWN,
        counters);
  }
}
