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
 * Replays of an instance: those running, and the newest finished ones, whose tables are kept,
 * including those of earlier processes. Thread-safe.
 */
public final class Replays implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Replays.class);
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("uuuuMMdd_HHmmss_SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** Maximum number of concurrent replays. Each has its own threads, network buffers and writer. */
  public static final int MAX_RUNNING = 2;

  /** By name, which contains the time, so oldest first. */
  private final NavigableMap<String, Replay> replays = new ConcurrentSkipListMap<>();

  private final List<Pipeline> pipelines;
  private final Run live;
  private final Store store;
  private final FlinkConfig flink;
  private final Path directory;
  private final int mostKept;

  /**
   * Starts empty.
   *
   * @param pipelines enabled pipelines
   * @param live log and tables of the instance
   * @param flink settings of each replay's engine
   * @param directory directory of checkpoints
   * @param mostKept maximum number of replays with tables. Running ones count, and are never
   *     dropped
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
    this.flink = flink.withSlots(1).withoutRestPort().withSteps(Map.of());
    this.directory = directory;
  }

  /** Names of pipelines that can be replayed. */
  public List<String> pipelines() {
    return pipelines.stream().filter(LogPipeline.class::isInstance).map(Pipeline::name).toList();
  }

  /**
   * Replays a range of a pipeline's topics into separate tables, including its downstream
   * pipelines.
   *
   * @param pipeline one of {@link #pipelines()}
   * @param from start by arrival in the log, inclusive, with the resolution of the log's batches
   * @param to end, exclusive
   * @throws IllegalArgumentException if the pipeline is unknown
   * @throws TooManyReplaysException if the maximum number is running
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
                        "pipeline: " + pipeline + " is unknown, expected " + there()));
    if (running() >= MAX_RUNNING) {
      throw new TooManyReplaysException(MAX_RUNNING);
    }
    String name = "replay_" + NAME.format(Instant.now());
    Map<String, Run.Range> topics = new HashMap<>();
    for (String topic : again.topics(live.shared())) {
      topics.put(topic, range(live.bootstrapServers(), topic, from, to));
    }
    for (RecordStream stream : again.streams(live.shared())) {
      String servers = stream.bootstrap(live.bootstrapServers());
      topics.computeIfAbsent(stream.topic(), topic -> range(servers, topic, from, to));
    }
    Run run = live.over(new Run.Bounds(Optional.of(name), topics));
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
        } catch (StoreException e) { // the next replay retries
          LOG.warn("cannot drop the tables of {}: {}", name, e.getMessage());
        }
      }
    }
  }

  /** Names of all replays of this process or with tables, oldest first. */
  private NavigableSet<String> names() {
    NavigableSet<String> names = new TreeSet<>(replays.keySet());
    tables().forEach(table -> TableNames.replayOf(table).ifPresent(names::add));
    return names;
  }

  private Stream<String> tables() {
    return Stream.concat(store.tables().stream(), store.resultTables().stream());
  }

  /**
   * Aborts a replay and drops its tables, atomically, even if the process is killed.
   *
   * @return names of the dropped tables; empty if there is no such replay
   * @throws StoreException if dropping fails; then the replay stays listed
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
   * Microseconds since the epoch, at least 0, because Kafka gives negative times a special meaning.
   */
  private static long micros(Instant instant) {
    if (instant.isBefore(Instant.EPOCH)) {
      return 0;
    }
    // ChronoUnit.MICROS.between computes nanoseconds, which overflow in 2262.
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }

  /** Replay of this process by name; empty if there is none, or it was dropped. */
  public Optional<Replay> find(String name) {
    return Optional.ofNullable(replays.get(name));
  }

  /** Aborts running replays; no further ones may be started. */
  @Override
  public void close() {
    replays.values().forEach(Replay::close);
  }
}
