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
 * Status of a job on a cluster, from the rows that it writes to this process. Flink's dashboard
 * shows restarts, checkpoints and lag. Thread-safe.
 */
final class ClusterJob implements Supplier<JobStatusReport> {
  static final String ON_CLUSTER = "ON_CLUSTER";

  static final String ABSENT = "ABSENT";

  /** Counter of sinks that write files themselves. */
  private static final String FILE_WRITERS = "store.file-writers";

  private static final long UNKNOWN = -1;

  private final LogPipeline pipeline;
  private final String table;
  private final StoreServer listener;

  /** Number of rows in the job's table. Absent for tables of results, which may replace rows. */
  private final Optional<LongSupplier> rows;

  private final long rowsBefore;

  ClusterJob(LogPipeline pipeline, String table, OpenStore store) {
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
          // A rewind may delete rows. Decoded rows are known only by the stored ones.
          long brought = Math.max(0, now.getAsLong() - rowsBefore);
          counters.put(pipeline.inCounter(), brought);
          counters.put(pipeline.storeSteps().get(0) + '.' + RewindableSink.ROWS, brought);
        });
    counters.put("store.writers", (long) listener.counts().open());
    if (table.equals(Store.FLOWS)) {
      counters.put(FILE_WRITERS, (long) listener.fileWriters(table));
    }
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
