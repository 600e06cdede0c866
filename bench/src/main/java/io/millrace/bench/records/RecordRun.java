package io.millrace.bench.records;

import io.millrace.bench.harness.WrongResultException;
import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.pipelines.LocalStores;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.Shared;
import io.millrace.pipelines.StoreLink;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.record.RecordSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A log, a stream engine and a store in this process, as {@code up} has them, and the job of a
 * pipeline over records that are in the log before.
 */
public final class RecordRun implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int LOOK_MILLIS = 10;
  private static final double NANOS = 1e9;

  private final LogPipeline pipeline;
  private final int slots;
  private final LogConfig logConfig = LogConfig.defaults();
  private final Shared shared = Shared.of(Map.of(), Duration.ZERO);
  private final EmbeddedLog log;
  private final DuckDbStore store;
  private final EmbeddedFlink flink;
  private final String name;

  /** Starts all but the job. */
  public RecordRun(Path directory, LogPipeline pipeline, int slots) {
    this.pipeline = pipeline;
    this.slots = slots;
    name = directory.toString();
    log = new EmbeddedLog(logConfig, directory.resolve("log"));
    log.start();
    var unused = pipeline.ensureTopics(log, logConfig, shared);
    store = new DuckDbStore(directory.resolve("store"), StoreConfig.defaults());
    LocalStores.add(name, store);
    pipeline.tables().forEach(store::results);
    flink =
        new EmbeddedFlink(
            FlinkConfig.defaults().withSlots(slots), directory.resolve("checkpoints"));
    flink.start();
  }

  /** Fills the topic of a stream. */
  public RecordFill fill(RecordSchema stream) {
    return new RecordFill(
        log.bootstrapServers(), RecordStream.of(stream).topic(), logConfig, stream);
  }

  /**
   * Runs the job over the whole log.
   *
   * @param records that stand there
   * @return records a second, from the first that was seen to be read until the end
   */
  public double runToEnd(long records) {
    Map<String, Run.Range> ranges = new HashMap<>();
    for (String topic : pipeline.topics()) {
      try (LogOffsets offsets = new LogOffsets(log.bootstrapServers(), topic)) {
        ranges.put(topic, new Run.Range(Frontier.EMPTY, offsets.end()));
      }
    }
    Run run =
        Run.live(log.bootstrapServers(), new StoreLink.Local(name), shared, slots)
            .over(new Run.Stretch(Optional.empty(), ranges));
    EmbeddedJob job = flink.submit(pipeline.name(), slots, pipeline.job(run));
    long started = System.nanoTime();
    long first = 0;
    long firstNanos = started;
    while (!job.awaitEnd(Duration.ofMillis(LOOK_MILLIS))) {
      if (first == 0) {
        first = pipeline.rowsIn(job.status().counters());
        firstNanos = System.nanoTime();
      }
      if (System.nanoTime() - started > PATIENCE.toNanos()) {
        throw new WrongResultException("the job has not done its work after " + PATIENCE);
      }
    }
    return (records - first) / ((System.nanoTime() - firstNanos) / NANOS);
  }

  /** Rows of a table. */
  public long rows(String table) {
    String sql = "SELECT count(*) FROM " + table;
    try (QueryResult result = store.query(new QueryRequest(sql, Duration.ofSeconds(30), 1))) {
      return result.next() ? ((Number) result.value(0)).longValue() : 0;
    }
  }

  @Override
  public void close() {
    flink.close();
    LocalStores.remove(name);
    store.close();
    log.close();
  }
}
