package io.millrace.lab.ads;

import io.millrace.engine.log.LogCluster;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogException;
import io.millrace.engine.log.LogTopics;
import io.millrace.pipelines.DeadLetters;
import io.millrace.pipelines.ads.AdRedis;
import io.millrace.traffic.ads.AdTrace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A topic of events, one uncompressed event per value, round-robin over the partitions, and the
 * exact counts of its views. Used by one thread.
 */
public final class AdTopic implements AutoCloseable {
  private static final long RETENTION_BYTES = 32L << 30;
  private static final long PAUSE_NANOS = 500_000;

  private static final int REQUEST_EVENTS = 4_096;

  /** Time between all other events and the last one. */
  private static final long CLOSING_MILLIS = 600_000;

  record Key(String campaign, long start) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byTime = Long.compare(start, other.start);
      return byTime == 0 ? campaign.compareTo(other.campaign) : byTime;
    }
  }

  private final String name;
  private final LogTopics topics;
  private final AdTrace trace;
  private final long windowMillis;
  private final BatchWriter writer;

  /** Views per campaign, by start of the window. */
  private final NavigableMap<Long, long[]> views = new TreeMap<>();

  private long windowStart = Long.MIN_VALUE;
  private long[] windowViews;

  /** Time of sending the first event after the end of a window, by that end. */
  private final Map<Long, Long> passed = new HashMap<>();

  /**
   * Creates the topic.
   *
   * @param window length of the windows over which views are counted
   */
  public AdTopic(LogCluster log, String name, AdTrace trace, Duration window) throws IOException {
    this.name = name;
    this.trace = trace;
    windowMillis = window.toMillis();
    LogConfig config = LogConfig.defaults();
    topics = new LogTopics(log, config);
    topics.ensure(name, config.partitions(), RETENTION_BYTES);
    DeadLetters.ensure(topics);
    writer = new BatchWriter(log.bootstrapServers(), name, config.partitions());
  }

  String name() {
    return name;
  }

  AdTrace trace() {
    return trace;
  }

  private void addNext(long now) {
    int partition = (int) (trace.made() % writer.partitions());
    writer.add(partition, trace.next(), now);
    if (trace.isView()) {
      long start = Math.floorDiv(trace.time(), windowMillis) * windowMillis;
      if (start != windowStart) {
        windowStart = start;
        windowViews = views.computeIfAbsent(start, none -> new long[AdTrace.CAMPAIGNS]);
      }
      windowViews[trace.campaignNumber()]++;
    }
  }

  /**
   * Adds events.
   *
   * @throws LogException if the log does not accept all of them
   */
  public void fill(long events) throws IOException {
    for (long left = events; left > 0; left -= REQUEST_EVENTS) {
      long now = System.currentTimeMillis();
      for (long i = Math.min(left, REQUEST_EVENTS); i > 0; i--) {
        addNext(now);
      }
      writer.flush();
    }
  }

  /**
   * Adds an event other than a view to each partition, which lets the watermark pass all windows.
   * It has all fields, since the topologies of other engines expect them.
   */
  public void finish() throws IOException {
    String last =
        ("{\"user_id\": \"-\", \"page_id\": \"-\", \"ad_id\": \"-\", \"ad_type\": \"banner\","
                + " \"event_type\": \"click\", \"event_time\": \"%d\", \"ip_address\": \"1.2.3.4\"}")
            .formatted(trace.time() + CLOSING_MILLIS);
    for (int partition = 0; partition < writer.partitions(); partition++) {
      writer.add(partition, last.getBytes(StandardCharsets.US_ASCII), System.currentTimeMillis());
    }
    writer.flush();
  }

  /** Adds events in real time. */
  void pace(long untilMillis) throws IOException {
    long last = Long.MIN_VALUE;
    while (last < untilMillis) {
      long now = System.currentTimeMillis();
      int added = 0;
      while (last < now && added < REQUEST_EVENTS) {
        addNext(now);
        last = trace.time();
        added++;
      }
      passed.putIfAbsent(Math.floorDiv(last, windowMillis) * windowMillis, now);
      writer.flush();
      if (added < REQUEST_EVENTS) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /**
   * Time when {@link #pace} let the watermark pass the end of a window, in milliseconds since the
   * epoch; the end itself if the sender was on time.
   */
  long passed(long end) {
    return passed.get(end);
  }

  Map<Key, Long> views() {
    return views(Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /** Views of each window that begins at {@code from} or later, and before {@code until}. */
  NavigableMap<Key, Long> views(long from, long until) {
    List<String> campaigns = List.copyOf(trace.ads().keySet());
    NavigableMap<Key, Long> all = new TreeMap<>();
    views
        .subMap(from, until)
        .forEach(
            (start, counts) -> {
              for (int campaign = 0; campaign < counts.length; campaign++) {
                if (counts[campaign] > 0) {
                  all.put(new Key(campaigns.get(campaign), start), counts[campaign]);
                }
              }
            });
    return all;
  }

  /** Views of all windows. */
  public long allViews() {
    return views.values().stream().flatMapToLong(Arrays::stream).sum();
  }

  /**
   * Returns the wrong counts in Redis.
   *
   * @param isComplete whether all views must be counted; otherwise counts may be too low
   */
  public List<String> differences(List<AdRedis.Window> counted, boolean isComplete) {
    Map<Key, Long> seen = new TreeMap<>();
    counted.forEach(
        each -> seen.merge(new Key(each.campaign(), each.start()), each.seen(), Long::sum));
    Map<Key, Long> truth = views();
    Map<Key, Long> keys = new TreeMap<>(truth);
    keys.putAll(seen);
    return keys.keySet().stream()
        .filter(
            key -> {
              long right = truth.getOrDefault(key, 0L);
              long is = seen.getOrDefault(key, 0L);
              return isComplete ? is != right : is > right;
            })
        .map(key -> key + ": " + seen.get(key) + " views, expected " + truth.get(key))
        .toList();
  }

  /** Deletes the topic; the topics of all runs would fill a disk. */
  void delete() {
    topics.delete(name);
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
