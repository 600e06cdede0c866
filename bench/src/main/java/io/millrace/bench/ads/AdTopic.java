package io.millrace.bench.ads;

import io.millrace.engine.log.Compression;
import io.millrace.engine.log.LogCluster;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogException;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.DeadLetters;
import io.millrace.pipelines.ads.AdRedis;
import io.millrace.traffic.ads.AdTrace;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A topic of events, one uncompressed event a value, dealt out over the partitions in turn, and the
 * views that there are in it. Used by one thread.
 */
public final class AdTopic implements AutoCloseable {
  private static final long RETENTION_BYTES = 32L << 30;
  private static final long PAUSE_NANOS = 200_000;

  /** How much later than all others the last event is. */
  private static final long CLOSING_MILLIS = 600_000;

  /** A campaign's window. */
  record Key(String campaign, long start) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byTime = Long.compare(start, other.start);
      return byTime == 0 ? campaign.compareTo(other.campaign) : byTime;
    }
  }

  private final String name;
  private final AdTrace trace;
  private final long windowMillis;
  private final LogWriter writer;
  private final Map<Key, Long> views = new TreeMap<>();

  /**
   * Makes the topic.
   *
   * @param window length of the windows over which views are counted
   */
  public AdTopic(LogCluster log, String name, AdTrace trace, Duration window) {
    this.name = name;
    this.trace = trace;
    windowMillis = window.toMillis();
    LogConfig config =
        LogConfig.defaults()
            .withCompression(Compression.NONE)
            .withBuffer(64L << 20, Duration.ofMinutes(2));
    LogTopics topics = new LogTopics(log, config);
    topics.ensure(name, config.partitions(), RETENTION_BYTES);
    DeadLetters.ensure(topics);
    writer = new LogWriter(log.bootstrapServers(), name, config);
  }

  String name() {
    return name;
  }

  /** The trace of which it is made. */
  AdTrace trace() {
    return trace;
  }

  private void send(int partition, byte[] event) {
    while (!writer.offer(partition, event, 1, null)) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void sendNext() {
    int partition = (int) (trace.made() % writer.partitions());
    byte[] event = trace.next();
    if (trace.isView()) {
      long start = Math.floorDiv(trace.time(), windowMillis) * windowMillis;
      views.merge(new Key(trace.campaign(), start), 1L, Long::sum);
    }
    send(partition, event);
  }

  /**
   * Adds events.
   *
   * @throws LogException if the log has not taken all of them
   */
  public void fill(long events) {
    for (long i = 0; i < events; i++) {
      sendNext();
    }
    flush();
  }

  private void flush() {
    writer.flush();
    long lost = writer.counts().failedRows();
    if (lost > 0) {
      throw new LogException(
          "the log has not taken " + lost + " events: " + writer.lastFailure(), null);
    }
  }

  /** Adds an event to each partition that lets event time pass all windows, and is no view. */
  public void finish() {
    String last =
        "{\"ad_id\": \"-\", \"event_type\": \"click\", \"event_time\": \"%d\"}"
            .formatted(trace.time() + CLOSING_MILLIS);
    for (int partition = 0; partition < writer.partitions(); partition++) {
      send(partition, last.getBytes(StandardCharsets.US_ASCII));
    }
    flush();
  }

  /**
   * Adds events as their times come, by the clock.
   *
   * @return by how many milliseconds the last one was late
   */
  long pace(long untilMillis) {
    while (trace.time() < untilMillis) {
      long now = System.currentTimeMillis();
      if (trace.time() >= now) {
        LockSupport.parkNanos(PAUSE_NANOS);
        continue;
      }
      sendNext();
    }
    flush();
    return System.currentTimeMillis() - trace.time();
  }

  /** Views of each window. */
  Map<Key, Long> views() {
    return views;
  }

  /** Views of all windows. */
  public long allViews() {
    return views.values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * What is wrong with the counts that Redis has; empty for nothing.
   *
   * @param isComplete whether all must be there; else none may be too high
   */
  public List<String> differences(List<AdRedis.Window> counted, boolean isComplete) {
    Map<Key, Long> seen = new TreeMap<>();
    counted.forEach(
        each -> seen.merge(new Key(each.campaign(), each.start()), each.seen(), Long::sum));
    Map<Key, Long> keys = new TreeMap<>(views);
    keys.putAll(seen);
    return keys.keySet().stream()
        .filter(
            key -> {
              long right = views.getOrDefault(key, 0L);
              long is = seen.getOrDefault(key, 0L);
              return isComplete ? is != right : is > right;
            })
        .map(key -> key + ": " + seen.get(key) + " views, where there were " + views.get(key))
        .toList();
  }

  @Override
  public void close() {
    writer.close();
  }
}
