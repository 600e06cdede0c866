package io.millrace.lab.ads;

import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.profile.Profile;
import io.millrace.pipelines.ads.AdRedis;
import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A run of an engine on a topic, with its own Redis and its own process.
 *
 * @param directory for files of the run
 * @param bootstrapServers of the log
 * @param options of the engine's JVM
 */
record AdRun(
    Path directory,
    String bootstrapServers,
    AdEngine engine,
    int subtasks,
    Duration window,
    List<String> options) {
  /** A poll takes Redis some milliseconds. Results have the time when they were written. */
  private static final long LOOK_NANOS = 250_000_000;

  /** An engine without results after this time is broken. */
  private static final Duration START = Duration.ofMinutes(4);

  /** For the events that arrived during the start. */
  private static final Duration CATCHING_UP = Duration.ofSeconds(30);

  /** For the last windows of an engine that writes them long after their end. */
  private static final Duration SETTLING = Duration.ofSeconds(20);

  /** Share of the views counted during the warm-up, in percent. */
  private static final int WARM_PERCENT = 30;

  /**
   * Result of processing a prefilled topic.
   *
   * @param rate events per second
   * @param cores processor seconds per second
   * @param isComplete whether the whole topic was processed
   */
  record Saturation(double rate, double cores, boolean isComplete) {}

  /**
   * Latency from the end of windows until Redis has them.
   *
   * @param watermarkP99Millis from when the watermark passed the end, which excludes the delay of
   *     the sender
   * @param lateMillis maximum delay of the sender at the end of a window
   * @param missing number of incomplete windows
   */
  record Latency(
      double p50Millis,
      double p99Millis,
      double watermarkP99Millis,
      long lateMillis,
      int windows,
      int missing) {
    private static Latency of(double[] millis, double[] behindWatermark, long late, int missing) {
      Arrays.sort(millis);
      Arrays.sort(behindWatermark);
      int p99 = Math.min(millis.length - 1, millis.length * 99 / 100);
      return new Latency(
          millis[millis.length / 2],
          millis[p99],
          behindWatermark[p99],
          late,
          millis.length,
          missing);
    }
  }

  private ChildProcess start(RedisServer redis, AdTopic topic) throws IOException {
    return engine.start(
        directory,
        options,
        List.of(
            bootstrapServers,
            topic.name(),
            "127.0.0.1",
            Integer.toString(redis.port()),
            Integer.toString(subtasks),
            Long.toString(window.toMillis()),
            "0"));
  }

  /**
   * Runs the engine on a topic from its beginning.
   *
   * @param patience time limit after the first result; views counted within it count
   * @throws WrongResultException if a count is wrong
   */
  Saturation saturate(AdTopic topic, Duration patience) throws IOException {
    try (RedisServer redis = RedisServer.start(directory);
        AdRedis counts = redis.connect()) {
      counts.put(topic.trace().ads());
      long all = topic.allViews();
      try (ChildProcess process = start(redis, topic)) {
        long started = System.nanoTime();
        long deadline = started + START.toNanos();
        Look first = null;
        Look last = look(counts, process);
        while (last.views() < all && System.nanoTime() < deadline) {
          LockSupport.parkNanos(LOOK_NANOS);
          Look now = look(counts, process);
          if (now.views() == last.views()) {
            checkAlive(process);
            continue;
          }
          deadline = last.views() == 0 ? now.nanos + patience.toNanos() : deadline;
          last = now;
          if (first == null
              && (now.views() >= all * WARM_PERCENT / 100 || isHalfOver(deadline, patience))) {
            first = now;
            Profile.begin();
          }
        }
        Profile.end();
        if (first == null || last.views() == first.views()) {
          throw new IOException(
              engine.label()
                  + " counted "
                  + last.views()
                  + " of "
                  + all
                  + " views: "
                  + process.tail());
        }
        boolean isComplete = last.views() == all;
        check(topic, counts, isComplete);
        double eventsPerView = topic.trace().made() / (double) all;
        double seconds = Math.max(1, last.redis.updated() - first.redis.updated()) / 1e3;
        return new Saturation(
            (last.views() - first.views()) * eventsPerView / seconds,
            last.processor.minus(first.processor).toNanos() / (double) (last.nanos - first.nanos),
            isComplete);
      }
    }
  }

  private static boolean isHalfOver(long deadline, Duration patience) {
    return deadline - System.nanoTime() < patience.toNanos() / 2;
  }

  private record Look(AdRedis.SeenViews redis, long nanos, Duration processor) {
    long views() {
      return redis.views();
    }
  }

  private static Look look(AdRedis counts, ChildProcess process) {
    return new Look(counts.seen(), System.nanoTime(), process.processorTime());
  }

  private void checkAlive(ChildProcess process) throws IOException {
    if (!process.isAlive()) {
      throw new IOException(engine.label() + " has ended: " + process.tail());
    }
  }

  private void check(AdTopic topic, AdRedis counts, boolean isComplete) {
    List<String> wrong = topic.differences(counts.windows(), isComplete);
    if (!wrong.isEmpty()) {
      throw new WrongResultException(
          engine.label() + ": " + wrong.size() + " windows are wrong: " + wrong.get(0));
    }
  }

  /**
   * Sends events in real time and measures windows once the engine has caught up with the events
   * that arrived during its start, or after half a minute.
   *
   * @param warmUp after it has caught up
   * @param measured length of the measurement
   */
  Latency latency(AdTopic topic, Duration warmUp, Duration measured) throws IOException {
    try (RedisServer redis = RedisServer.start(directory);
        AdRedis counts = redis.connect()) {
      counts.put(topic.trace().ads());
      try (ChildProcess process = start(redis, topic)) {
        long length = window.toMillis();
        awaitFirst(topic, counts, process);
        awaitCaughtUp(topic, counts, process);
        long from = windowAt(System.currentTimeMillis() + warmUp.toMillis()) + length;
        long until = from + Math.max(length, measured.toMillis() / length * length);
        topic.pace(until + length);
        long deadline = System.nanoTime() + SETTLING.toNanos();
        Latency latency = latency(topic, counts.windows(), from, until);
        while (latency.missing() > 0 && System.nanoTime() < deadline) {
          checkAlive(process);
          topic.pace(System.currentTimeMillis() + length);
          latency = latency(topic, counts.windows(), from, until);
        }
        return latency;
      }
    }
  }

  /** Start of the window. */
  private long windowAt(long millis) {
    return Math.floorDiv(millis, window.toMillis()) * window.toMillis();
  }

  private void awaitFirst(AdTopic topic, AdRedis counts, ChildProcess process) throws IOException {
    long deadline = System.nanoTime() + START.toNanos();
    while (counts.seen().views() == 0) {
      checkAlive(process);
      if (System.nanoTime() > deadline) {
        throw new IOException(engine.label() + " counted nothing: " + process.tail());
      }
      topic.pace(System.currentTimeMillis() + window.toMillis());
    }
  }

  /** Waits for a complete window that ended less than two window lengths ago. */
  private void awaitCaughtUp(AdTopic topic, AdRedis counts, ChildProcess process)
      throws IOException {
    long deadline = System.nanoTime() + CATCHING_UP.toNanos();
    long length = window.toMillis();
    long newest;
    do {
      checkAlive(process);
      topic.pace(System.currentTimeMillis() + length);
      newest = windowAt(System.currentTimeMillis()) - 2 * length;
    } while (!isWhole(topic, counts.windows(), newest) && System.nanoTime() < deadline);
  }

  private boolean isWhole(AdTopic topic, List<AdRedis.Window> windows, long start) {
    Map<AdTopic.Key, Long> views = topic.views(start, start + window.toMillis());
    Map<AdTopic.Key, Long> seen =
        windows.stream()
            .filter(each -> each.start() == start)
            .collect(
                Collectors.toMap(
                    each -> new AdTopic.Key(each.campaign(), each.start()), AdRedis.Window::seen));
    return !views.isEmpty() && views.equals(seen);
  }

  private Latency latency(AdTopic topic, List<AdRedis.Window> windows, long from, long until) {
    Map<AdTopic.Key, AdRedis.Window> written = new TreeMap<>();
    windows.forEach(each -> written.put(new AdTopic.Key(each.campaign(), each.start()), each));
    NavigableMap<AdTopic.Key, Long> views = topic.views(from, until);
    int missing = 0;
    int count = 0;
    long late = 0;
    double[] millis = new double[views.size()];
    double[] behindWatermark = new double[views.size()];
    for (Map.Entry<AdTopic.Key, Long> each : views.entrySet()) {
      long end = each.getKey().start() + window.toMillis();
      AdRedis.Window result = written.get(each.getKey());
      boolean isWhole = result != null && result.seen() == each.getValue();
      missing += isWhole ? 0 : 1;
      double updated = isWhole ? result.updated() : Double.POSITIVE_INFINITY;
      long passed = topic.passed(end);
      late = Math.max(late, passed - end);
      millis[count] = updated - end;
      behindWatermark[count++] = updated - passed;
    }
    return Latency.of(millis, behindWatermark, late, missing);
  }
}
