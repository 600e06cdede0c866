package io.millrace.server.replay;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.store.Store;
import io.millrace.store.StoreException;
import io.millrace.store.TableNames;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replays of an instance, by their names: those that run, and the newest of those that have
 * ended, with their tables. What the store has of replays of earlier processes counts among them.
 * Thread-safe.
 */
public final class Replays implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Replays.class);
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("uuuuMMdd_HHmmss_SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** Each has threads, network buffers and a writer of its own. */
  public static final int MOST_RUNNING = 2;

  /** The oldest first, as their names have the time in them. */
  private final NavigableMap<String, Replay> replays = new ConcurrentSkipListMap<>();

  private final List<Pipeline> pipelines;
  private final Run live;
  private final Store store;
  private final FlinkConfig flink;
  private final Path directory;
  private final int mostKept;

  /**
   * None that runs.
   *
   * @param pipelines that run
   * @param live where log and tables are
   * @param flink settings of the engine; each replay has one of its own
   * @param directory for their checkpoints
   * @param mostKept of how many the tables are kept; those that run are among them, and stay
   */
  public Replays(
      List<Pipeline> pipelines,
      Run live,
      Store store,
      FlinkConfig flink,
      Path directory,
      int mostKept) {
    this.mostKept = mostKept;
    this.pipelines = pipelines;
    this.live = live;
    this.store = store;
    this.flink = flink.withSlots(1).withoutRestPort();
    this.directory = directory;
  }

  /** Names of the pipelines that can be run again. */
  public List<String> pipelines() {
    return pipelines.stream().filter(LogPipeline.class::isInstance).map(Pipeline::name).toList();
  }

  /**
   * Runs a stretch of a pipeline's topics again, into tables of its own, also for what hangs behind
   * it.
   *
   * @param pipeline one of {@link #pipelines()}
   * @param from arrival in the log, inclusive, as exact as the log's batches
   * @param to exclusive
   * @throws IllegalArgumentException if there is no such pipeline
   * @throws TooManyReplaysException if as many run as may
   */
  public synchronized Replay start(String pipeline, Instant from, Instant to) {
    LogPipeline again =
        pipelines.stream()
            .filter(LogPipeline.class::isInstance)
            .map(LogPipeline.class::cast)
            .filter(each -> each.name().equals(pipeline))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "pipeline: " + pipeline + " is unknown, there is " + there()));
    if (running() >= MOST_RUNNING) {
      throw new TooManyReplaysException(MOST_RUNNING);
    }
    String name = "replay_" + NAME.format(Instant.now());
    Map<String, Run.Range> topics = new HashMap<>();
    for (String topic : again.topics()) {
      topics.put(topic, range(live.bootstrapServers(), topic, from, to));
    }
    for (RecordStream stream : again.streams()) {
      String servers = stream.bootstrap(live.bootstrapServers());
      topics.computeIfAbsent(stream.topic(), topic -> range(servers, topic, from, to));
    }
    Run run = live.over(new Run.Stretch(Optional.of(name), topics));
    again.openTables(run);
    Replay replay =
        new Replay(
            name,
            again,
            pipelines.stream().filter(each -> each.jobName().equals(pipeline)).toList(),
            run,
            store,
            flink,
            directory.resolve(name));
    replays.put(name, replay);
    replay.start();
    dropOldest();
    return replay;
  }

  private void dropOldest() {
    NavigableSet<String> names = names();
    int over = names.size() - mostKept;
    for (String name : names) {
      Replay replay = replays.get(name);
      if (over > 0 && (replay == null || replay.state() != Replay.State.RUNNING)) {
        over--;
        try {
          drop(name);
        } catch (StoreException e) { // with the next replay
          LOG.warn("cannot drop the tables of {}: {}", name, e.getMessage());
        }
      }
    }
  }

  /** All that are known or have left tables, the oldest first. */
  private NavigableSet<String> names() {
    NavigableSet<String> names = new TreeSet<>(replays.keySet());
    tables().forEach(table -> TableNames.replayOf(table).ifPresent(names::add));
    return names;
  }

  private Stream<String> tables() {
    return Stream.concat(store.tables().stream(), store.resultTables().stream());
  }

  /**
   * Ends a replay where it is, and drops its tables: all of them, also where the process is killed
   * meanwhile, or none.
   *
   * @return names of the tables that were dropped; empty if there is no such replay
   * @throws StoreException if they cannot be; then it is still known
   */
  public synchronized List<String> drop(String name) {
    Replay replay = replays.get(name);
    if (replay != null) {
      replay.close();
    }
    List<String> tables =
        tables().filter(table -> TableNames.replayOf(table).equals(Optional.of(name))).toList();
    store.drop(tables);
    replays.remove(name);
    return tables;
  }

  private String there() {
    return String.join(", ", pipelines());
  }

  private static Run.Range range(String servers, String topic, Instant from, Instant to) {
    try (LogOffsets offsets = new LogOffsets(servers, topic)) {
      Frontier begin = offsets.at(micros(from)).union(offsets.begin());
      return new Run.Range(begin, begin.union(offsets.at(micros(to))));
    }
  }

  private long running() {
    return replays.values().stream()
        .filter(replay -> replay.state() == Replay.State.RUNNING)
        .count();
  }

  /**
   * Times before the epoch count as the epoch, since to Kafka negative times mean something else.
   */
  private static long micros(Instant instant) {
    if (instant.isBefore(Instant.EPOCH)) {
      return 0;
    }
    // Not ChronoUnit.MICROS.between, which counts nanoseconds on its way: enough until 2262.
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }

  /** The replay of a name; empty if there is none, it was dropped, or another process ran it. */
  public Optional<Replay> find(String name) {
    return Optional.ofNullable(replays.get(name));
  }

  /** Ends those that run, where they are; none is to be started any more. */
  @Override
  public void close() {
    replays.values().forEach(Replay::close);
  }
}
