package io.millrace.pipelines.apps;

import io.millrace.analytics.app.ClassifierKind;
import io.millrace.analytics.app.subscriber.SubscriberConfig;
import io.millrace.analytics.app.subscriber.SubscriberNames;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.pipelines.JobSettings;
import io.millrace.wire.packet.IpLayer;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Settings of application recognition.
 *
 * @param enabled whether the job runs
 * @param slots number of subtasks of each step
 * @param layer of tunnelled packets whose flows are built
 * @param classifier that determines the application of a flow
 * @param maxFlows maximum number of open flows per subtask
 * @param idle inactive timeout; five times as long for a connection with packets in both directions
 * @param active active timeout
 * @param watermarkDelay delay of the watermark after the newest packet or control message of a
 *     partition
 * @param names file with further host names; empty for none
 * @param maxSubscribers maximum number of subscriber sessions with tunnels
 * @param subscriberIdle inactive timeout of a session, by control messages
 * @param subscriberKeyFile file with the key of the hash that replaces subscriber numbers in state,
 *     tables and the topic; empty to use the numbers
 * @param topic for the usage of flows every 10 s; null for none
 * @param topicApps applications in the topic; empty for all
 * @param topicSubscribers whether only flows of known subscribers are written to the topic
 * @param release when results are sent
 */
@RecordBuilder
public record AppsConfig(
    boolean enabled,
    int slots,
    IpLayer layer,
    ClassifierKind classifier,
    int maxFlows,
    Duration idle,
    Duration active,
    Duration watermarkDelay,
    String names,
    int maxSubscribers,
    Duration subscriberIdle,
    String subscriberKeyFile,
    String topic,
    List<String> topicApps,
    boolean topicSubscribers,
    ResultTopic.Release release)
    implements AppsConfigBuilder.With {
  private static final int CONNECTED = 5;
  private static final int BEGINNING = 4;
  private static final int MIN_KEY = 16;

  public AppsConfig {
    JobSettings.checkJob(slots, watermarkDelay);
    if (enabled) {
      classifier
          .missing()
          .ifPresent(
              why -> {
                throw new IllegalArgumentException(why);
              });
    }
    table(maxFlows, idle, active);
    subscribers("", maxSubscribers, subscriberIdle);
    topic = ResultTopic.checkName(topic);
    topicApps = List.copyOf(topicApps);
  }

  /** Disabled; the inner layer, 262,144 flows, 60 s, 30 min and 1 s; 65,536 subscribers, a week. */
  public static AppsConfig defaults() {
    return new AppsConfig(
        false,
        1,
        IpLayer.INNER,
        ClassifierKind.BUILT_IN,
        1 << 18,
        Duration.ofMinutes(1),
        Duration.ofMinutes(30),
        Duration.ofSeconds(1),
        "",
        1 << 16,
        Duration.ofDays(7),
        "",
        null,
        List.of(),
        false,
        ResultTopic.Release.AT_ONCE);
  }

  /** These settings, enabled. */
  public AppsConfig running(int subtasks) {
    return withEnabled(true).withSlots(subtasks);
  }

  /** These settings with a topic for the usage of known subscribers' flows of some applications. */
  public AppsConfig publishing(String to, List<String> apps) {
    return withTopic(to).withTopicApps(apps).withTopicSubscribers(true);
  }

  SubscriberConfig subscribers() {
    return subscribers(subscriberKey(), maxSubscribers, subscriberIdle);
  }

  private String subscriberKey() {
    if (subscriberKeyFile.isEmpty()) {
      return "";
    }
    try {
      String key = Files.readString(Path.of(subscriberKeyFile)).strip();
      if (key.length() < MIN_KEY) {
        throw new IllegalArgumentException(
            "apps.subscriber-key-file: the key in %s has %d characters, expected at least %d (openssl rand -hex 32)"
                .formatted(subscriberKeyFile, key.length(), MIN_KEY));
      }
      return key;
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "apps.subscriber-key-file: " + subscriberKeyFile + " cannot be read: " + e, e);
    }
  }

  private static SubscriberConfig subscribers(String key, int max, Duration idle) {
    return new SubscriberConfig(new SubscriberNames(key), max, idle.toNanos() / 1_000);
  }

  FlowTableConfig table() {
    return table(maxFlows, idle, active);
  }

  private static FlowTableConfig table(int maxFlows, Duration idle, Duration active) {
    FlowTableConfig defaults = FlowTableConfig.defaults();
    long idleMicros = idle.toNanos() / 1_000;
    return new FlowTableConfig(
        maxFlows,
        idleMicros,
        CONNECTED * idleMicros,
        Math.max(1, idleMicros / BEGINNING),
        active.toNanos() / 1_000,
        defaults.headBytes(),
        defaults.headMemoryBytes());
  }
}
