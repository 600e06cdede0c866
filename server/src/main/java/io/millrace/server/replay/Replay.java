package io.millrace.server.replay;

import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.plugins.PluginDirectory;
import io.millrace.pulse.DirectoryTree;
import io.millrace.pulse.Worker;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replay: processes a range of the log again into separate tables, concurrently with the live
 * job, to compare a new decoder, data set or plugin with earlier results. Thread-safe.
 */
public final class Replay implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Replay.class);
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** State of a replay. */
  public enum State {
    /** Running. */
    RUNNING,
    /** Finished: the tables are complete. */
    DONE,
    /** Failed. */
    FAILED
  }

  private final String name;
  private final LogPipeline pipeline;
  private final List<Pipeline> inJob;
  private final Run run;
  private final Store store;
  private final FlinkConfig flink;
  private final Path directory;
  private final long values;
  private final Thread thread;
  private volatile State state = State.RUNNING;
  private volatile long valuesDone;
  private volatile String failure;
  private volatile boolean closing;

  Replay(
      String name,
      LogPipeline pipeline,
      List<Pipeline> inJob,
      Run run,
      Store store,
      FlinkConfig flink,
      Path directory) {
    this.name = name;
    this.pipeline = pipeline;
    this.inJob = inJob;
    this.run = run;
    this.store = store;
    this.flink = flink;
    this.directory = directory;
    this.values =
        run.bounds().orElseThrow().topics().values().stream().mapToLong(Run.Range::values).sum();
    this.thread = new Thread(this::run, "millrace-replay");
  }

  @SuppressWarnings("ThreadPriorityCheck") // correct without it
  void start() {
    // Live traffic has priority over replays. Threads inherit the priority of their creator.
    // Effective only if the JVM may set priorities.
    thread.setPriority(Thread.MIN_PRIORITY);
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try (EmbeddedFlink cluster = new EmbeddedFlink(flink, directory)) {
      cluster.start();
      List<Path> jars = PluginDirectory.jarsOf(inJob);
      EmbeddedJob job = cluster.submit(name, run.parallelism(), jars, pipeline.job(run));
      boolean ended = values == 0;
      while (!ended && !closing) {
        ended = job.awaitEnd(LOOK);
        valuesDone = Math.max(valuesDone, valuesIn(job.status().counters()));
      }
      if (!ended) {
        job.stop(false);
      }
      state = ended ? State.DONE : State.FAILED;
    } catch (RuntimeException e) {
      failure = e.getMessage();
      state = State.FAILED;
      LOG.warn("replay into {} failed: {}", name, e.getMessage());
    } finally {
      delete();
    }
  }

  private long valuesIn(Map<String, Long> counters) {
    return pipeline.valuesIn(counters)
        + inJob.stream()
            .flatMap(each -> each.streams().stream())
            .distinct()
            .filter(stream -> !pipeline.streams().contains(stream))
            .mapToLong(stream -> Pipeline.sum(counters, stream.step() + ".blocksIn"))
            .sum();
  }

  private void delete() {
    try {
      DirectoryTree.delete(directory);
    } catch (IOException e) {
      LOG.warn("cannot delete {}: {}", directory, e.toString());
    }
  }

  /** Name of the replay, and of its table of flows, if it has one. */
  public String name() {
    return name;
  }

  /** Tables of its results. */
  public List<String> resultTables() {
    return inJob.stream()
        .flatMap(each -> each.tables().stream())
        .map(table -> run.table(table.name()))
        .toList();
  }

  /** State of the replay. */
  public State state() {
    return state;
  }

  /** Error message; null if there is none. */
  public String failure() {
    return failure;
  }

  /** Number of log values to read. */
  public long values() {
    return values;
  }

  /** Log values read and decoded. */
  public long valuesDone() {
    return state == State.DONE ? values : valuesDone;
  }

  /** Rows so far in the tables of the pipeline or, if it has none, of its downstream pipelines. */
  public long rows() {
    List<String> own = pipeline.tableNames().stream().map(run::table).toList();
    long rows = 0;
    for (String table : own.isEmpty() ? resultTables() : own) {
      String sql = "SELECT count(*) FROM " + table;
      try (QueryResult result = store.query(new QueryRequest(sql, TIMEOUT, 1))) {
        rows += result.next() ? ((Number) result.value(0)).longValue() : 0;
      }
    }
    return rows;
  }

  /** Aborts the replay, and waits for its last write. */
  @Override
  public void close() {
    closing = true;
    Worker.awaitEnd(thread);
  }
}
