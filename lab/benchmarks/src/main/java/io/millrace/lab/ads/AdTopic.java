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
 * A topic of events, one uncompressed event a value, distributed round-robin over the partitions,
 * and the views that there are in it. Used by one thread.
 */
public final class AdTopic implements AutoCloseable {
  private static final long RETENTION_BYTES = 32L << 30;
  private static final long PAUSE_NANOS = 500_000;

  /** Events of a request at most. */
  private static final int REQUEST_EVENTS = 4_096;

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
  private final LogTopics topics;
  private final AdTrace trace;
  private final long windowMillis;
  private final BatchWriter writer;

  /** By start of the window, of each campaign. */
  private final NavigableMap<Long, long[]> views = new TreeMap<>();

  private long windowStart = Long.MIN_VALUE;
  private long[] windowViews;

  /** When the watermark passed the ends of windows: the log had no event after an end before. */
  private final Map<Long, Long> passed = new HashMap<>();

  /**
   * Makes the topic.
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

  /** The trace of which it is made. */
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
   * @throws LogException if the log has not taken all of them
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
   * Adds an event to each partition that lets the watermark pass all windows, and is no view. It
   * has all fields, since other engines' topologies take each of them for granted.
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

  /** Adds events as their times come, by the clock. */
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
   * When the watermark passed the end of a window, as {@link #pace} has sent it: the end itself
   * where the sender was on time. Milliseconds since the epoch.
   */
  long passed(long end) {
    return passed.get(end);
  }

  /** Views of each window. */
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
   * What is wrong with the counts that Redis has; empty for nothing.
   *
   * @param isComplete whether all must be there; else none may be too high
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
        .map(key -> key + ": " + seen.get(key) + " views, where there were " + truth.get(key))
        .toList();
  }

  /** Deletes the topic when nobody reads it any more: those of all runs would fill a disk. */
  void delete() {
    topics.delete(name);
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
