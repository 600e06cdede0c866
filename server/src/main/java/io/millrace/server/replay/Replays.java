package io.millrace.server.replay;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.pipelines.LogPipeline;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.RecordStream;
import io.millrace.pipelines.Run;
import io.millrace.store.Store;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The replays of an instance, by their names: those that run, and the newest of those that have
 * ended. The tables stay. Thread-safe.
 */
public final class Replays implements AutoCloseable {
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("uuuuMMdd_HHmmss_SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** Each has threads, network buffers and a writer of its own. */
  public static final int MOST_RUNNING = 2;

  /** Each is some kilobytes, and a question about it some seconds later is common. */
  private static final int MOST_KEPT = 100;

  /** The oldest first, as their names have the time in them. */
  private final NavigableMap<String, Replay> replays = new ConcurrentSkipListMap<>();

  private final List<Pipeline> pipelines;
  private final Run live;
  private final Store store;
  private final FlinkConfig flink;
  private final Path directory;
  private final int mostKept;

  /**
   * None so far.
   *
   * @param pipelines that run
   * @param live where log and tables are
   * @param flink settings of the engine; each replay has one of its own
   * @param directory for their checkpoints
   */
  public Replays(
      List<Pipeline> pipelines, Run live, Store store, FlinkConfig flink, Path directory) {
    this(pipelines, live, store, flink, directory, MOST_KEPT);
  }

  /** As above, of which no more than so many are known at a time. */
  Replays(
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
    forgetOldest();
    replay.start();
    return replay;
  }

  private void forgetOldest() {
    Iterator<Replay> oldest = replays.values().iterator();
    while (replays.size() > mostKept && oldest.hasNext()) {
      if (oldest.next().state() != Replay.State.RUNNING) {
        oldest.remove();
      }
    }
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

  /** Nothing is older than the epoch: to Kafka, times before it stand for other things. */
  private static long micros(Instant instant) {
    if (instant.isBefore(Instant.EPOCH)) {
      return 0;
    }
    // Not ChronoUnit.MICROS.between, which counts nanoseconds on its way: enough until 2262.
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }

  /** The replay of a name; empty if there is none, or it ended many replays ago. */
  public Optional<Replay> find(String name) {
    return Optional.ofNullable(replays.get(name));
  }

  /** Ends those that run, where they are; none is to be started any more. */
  @Override
  public void close() throws InterruptedException {
    for (Replay replay : replays.values()) {
      replay.close();
    }
  }
}
