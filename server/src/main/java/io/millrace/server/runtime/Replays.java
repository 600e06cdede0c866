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
import java.util.Iterator;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The replays of an instance, by the names of their tables: those that run, and the newest of those
 * that have ended. The tables stay. Thread-safe.
 */
public final class Replays implements AutoCloseable {
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("uuuuMMdd_HHmmss_SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** Each has threads, network buffers and a writer of its own. */
  static final int MOST_RUNNING = 2;

  /** Each is some kilobytes, and a question about it some seconds later is common. */
  private static final int MOST_KEPT = 100;

  /** The oldest first, as their names have the time in them. */
  private final NavigableMap<String, Replay> replays = new ConcurrentSkipListMap<>();

  private final MillraceConfig config;
  private final String bootstrapServers;
  private final Store store;
  private final StoreLink link;
  private final Path directory;
  private final PluginSet plugins;
  private final int mostKept;

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
      PluginSet plugins) {
    this(config, bootstrapServers, store, link, directory, plugins, MOST_KEPT);
  }

  /** As above, of which no more than so many are known at a time. */
  Replays(
      MillraceConfig config,
      String bootstrapServers,
      Store store,
      StoreLink link,
      Path directory,
      PluginSet plugins,
      int mostKept) {
    this.config = config;
    this.bootstrapServers = bootstrapServers;
    this.store = store;
    this.link = link;
    this.directory = directory;
    this.plugins = plugins;
    this.mostKept = mostKept;
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
        new Replay(
            pipeline,
            own,
            config.job().withSlots(1).withoutRestPort(),
            directory.resolve(name),
            plugins.jars());
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

  /** The replay that fills a table; empty if there is none, or it ended many replays ago. */
  public Optional<Replay> find(String table) {
    return Optional.ofNullable(replays.get(table));
  }

  /** Ends those that run; none is to be started any more. */
  @Override
  public void close() throws InterruptedException {
    for (Replay replay : replays.values()) {
      replay.close();
    }
  }
}
