package io.millrace.pipelines.ads;

import static io.millrace.pipelines.JobSettings.checkJob;
import static io.millrace.pipelines.JobSettings.require;

import io.millrace.pipelines.RecordTopic;
import java.net.URI;
import java.time.Duration;

/**
 * Settings of the advertisement benchmark. Invalid values are rejected here.
 *
 * @param enabled whether the job runs
 * @param slots number of subtasks of each step
 * @param events the external topic of events
 * @param redis URL of the server with the campaigns, which receives the counts
 * @param window length of a window
 * @param watermarkDelay delay of the watermark after the newest event of a partition
 * @param allowedLateness how long after its end a window accepts views
 */
public record AdsConfig(
    boolean enabled,
    int slots,
    RecordTopic events,
    String redis,
    Duration window,
    Duration watermarkDelay,
    Duration allowedLateness) {
  private static final Duration DAY = Duration.ofDays(1);

  public AdsConfig {
    checkJob(slots, watermarkDelay);
    require(
        window.toMillis() >= 100 && window.compareTo(DAY) <= 0,
        "window: " + window.toMillis() + "ms is out of range, expected 100ms to 1d");
    require(
        !allowedLateness.isNegative() && allowedLateness.compareTo(DAY) <= 0,
        "allowed-lateness: " + allowedLateness.toMillis() + "ms is out of range, expected 0 to 1d");
    server(redis);
  }

  private static URI server(String redis) {
    String expected = "redis: '" + redis + "' is not a Redis URL, expected redis://HOST:PORT";
    try {
      URI server = URI.create(redis);
      require(
          ("redis".equals(server.getScheme()) || "rediss".equals(server.getScheme()))
              && server.getHost() != null
              && server.getPort() > 0,
          expected);
      return server;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(expected, e);
    }
  }

  /** Disabled, with the published windows. */
  public static AdsConfig defaults() {
    return new AdsConfig(
        false,
        1,
        RecordTopic.NONE,
        "redis://127.0.0.1:6379",
        Duration.ofSeconds(10),
        Duration.ofMillis(100),
        Duration.ofMinutes(2));
  }

  /** These settings, enabled, with other subtasks, events and Redis. */
  public AdsConfig running(int subtasks, RecordTopic topic, String server) {
    return new AdsConfig(true, subtasks, topic, server, window, watermarkDelay, allowedLateness);
  }

  URI server() {
    return server(redis);
  }
}
