package io.millrace.server.runtime;

import io.millrace.engine.log.LogOffsets;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pipelines.flows.StoreLink;
import io.millrace.pipelines.plugins.PluginSet;
import io.millrace.store.FlowTable;
import io.millrace.store.Store;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The replays of an instance, by the names of their tables. Thread-safe. */
public final class Replays {
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("uuuuMMdd_HHmmss_SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** Each has threads, network buffers and a writer of its own. */
  static final int MOST_RUNNING = 2;

  private final Map<String, Replay> replays = new ConcurrentHashMap<>();
  private final MillraceConfig config;
  private final String bootstrapServers;
  private final Store store;
  private final StoreLink link;
  private final Path directory;
  private final PluginSet plugins;
  private final Closers closers;

  /**
   * None so far.
   *
   * @param bootstrapServers of the log
   * @param link to the store, for the jobs
   * @param directory for their checkpoints
   */
  Replays(
      MillraceConfig config,
      String bootstrapServers,
      Store store,
      StoreLink link,
      Path directory,
      PluginSet plugins,
      Closers closers) {
    this.config = config;
    this.bootstrapServers = bootstrapServers;
    this.store = store;
    this.link = link;
    this.directory = directory;
    this.plugins = plugins;
    this.closers = closers;
  }

  /**
   * Runs a stretch of the log again, into a table of its own, and one for each plugin.
   *
   * @param from arrival in the log, inclusive, as exact as the log's batches
   * @param to exclusive
   * @throws TooManyReplaysException if as many run as may
   */
  public synchronized Replay start(Instant from, Instant to) {
    if (running() >= MOST_RUNNING) {
      throw new TooManyReplaysException(MOST_RUNNING);
    }
    String name = "replay_" + NAME.format(Instant.now());
    Frontier begin;
    Frontier end;
    try (LogOffsets offsets = new LogOffsets(bootstrapServers, FlowsPipeline.TOPIC)) {
      begin = offsets.at(micros(from)).union(offsets.begin());
      end = offsets.at(micros(to));
    }
    FlowTable own = store.table(name, FlowsPipeline.schema(config.datasets()));
    FlowsPipeline pipeline =
        new FlowsPipeline(
                bootstrapServers,
                FlowsPipeline.TOPIC,
                Optional.empty(),
                config.flows(),
                config.datasets(),
                link,
                name,
                1,
                config.sink().flushInterval(),
                begin,
                Optional.of(begin.union(end)))
            .withPlugins(plugins.calls(), config.plugins().lateness());
    Replay replay =
        closers.add(
            new Replay(
                pipeline,
                own,
                config.job().withSlots(1).withoutRestPort(),
                directory.resolve(name),
                plugins.jars()));
    replays.put(name, replay);
    replay.start();
    return replay;
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

  /** The replay that fills a table. */
  public Optional<Replay> find(String table) {
    return Optional.ofNullable(replays.get(table));
  }
}
