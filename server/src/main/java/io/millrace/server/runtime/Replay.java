package io.millrace.server.runtime;

import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.store.FlowTable;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stretch of the log, run again into tables of its own, beside the job that goes on: so that a
 * newer decoder, data set or plugin can be compared with what was made of the same bytes then.
 * Thread-safe.
 */
public final class Replay implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Replay.class);
  private static final Duration LOOK = Duration.ofMillis(100);

  /** Where a replay is. */
  public enum State {
    /** Under way. */
    RUNNING,
    /** At its end: the table is whole. */
    DONE,
    /** Given up. */
    FAILED
  }

  private final FlowsPipeline pipeline;
  private final FlowTable table;
  private final FlinkConfig flink;
  private final Path directory;
  private final List<Path> jars;
  private final long values;
  private final Thread thread;
  private volatile State state = State.RUNNING;
  private volatile String failure;
  private volatile boolean closing;

  /**
   * A replay, not started.
   *
   * @param pipeline from one frontier until another, into the table
   * @param directory for its checkpoints, deleted at the end
   * @param jars of its plugins
   */
  Replay(
      FlowsPipeline pipeline, FlowTable table, FlinkConfig flink, Path directory, List<Path> jars) {
    this.pipeline = pipeline;
    this.table = table;
    this.flink = flink;
    this.directory = directory;
    this.jars = jars;
    this.values = values(pipeline.until().orElseThrow()) - values(pipeline.from());
    this.thread = new Thread(this::run, "millrace-replay");
  }

  private static long values(Frontier frontier) {
    return frontier.next().values().stream().mapToLong(Long::longValue).sum();
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try (EmbeddedFlink cluster = new EmbeddedFlink(flink, directory)) {
      cluster.start();
      EmbeddedJob job = cluster.submit(table.name(), flink.slots(), jars, pipeline);
      boolean ended = values == 0;
      while (!ended && !closing) {
        ended = job.awaitEnd(LOOK);
      }
      if (!ended) {
        job.stop(false);
      }
      state = ended ? State.DONE : State.FAILED;
    } catch (RuntimeException e) {
      failure = e.getMessage();
      state = State.FAILED;
      LOG.warn("replay into {} failed: {}", table.name(), e.getMessage());
    } finally {
      delete();
    }
  }

  private void delete() {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      LOG.warn("cannot delete {}: {}", directory, e.toString());
    }
  }

  /** The table that is filled. */
  public String table() {
    return table.name();
  }

  /** The tables that plugins fill. */
  public List<String> resultTables() {
    return pipeline.resultTables();
  }

  /** Where it is. */
  public State state() {
    return state;
  }

  /** Why it failed; null if it did not. */
  public String failure() {
    return failure;
  }

  /** Log values to read. */
  public long values() {
    return values;
  }

  /** Log values of which the rows are stored. */
  public long valuesDone() {
    return state == State.DONE ? values : table.tally().values();
  }

  /** Rows so far. */
  public long rows() {
    return table.rows();
  }

  /** Ends it where it is. */
  @Override
  public void close() throws InterruptedException {
    closing = true;
    thread.join();
  }
}
