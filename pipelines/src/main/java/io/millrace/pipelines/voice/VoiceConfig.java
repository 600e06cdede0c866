package io.millrace.pipelines.voice;

import io.millrace.analytics.voice.VoiceRules;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.engine.webhook.WebhookConfig;
import io.millrace.pipelines.RecordTopic;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The protection of calls as it is configured. Wrong values are refused here.
 *
 * @param enabled whether the job runs
 * @param slots subtasks of each step
 * @param cells CSV file of the controllers of cells; null while it is not enabled
 * @param step from one moment at which controllers are judged to the next
 * @param window over which bytes are added up
 * @param hold how long it must have been calm before a limit ends
 * @param report how often the state of a controller is told while it changes
 * @param voiceAbove share of voice channels beyond which data is limited
 * @param voiceBelow share below which it is calm
 * @param volumeAboveBytes of a window beyond which data is limited
 * @param volumeBelowBytes below which it is calm
 * @param lateness how much older than the newest of its partition a record may be
 * @param messages the topic of others that brings messages
 * @param channels the topic of others that brings shares of voice channels
 * @param topic that gets the commands
 * @param release when they leave
 * @param webhook URL to which they are posted; null for none
 */
public record VoiceConfig(
    boolean enabled,
    int slots,
    String cells,
    Duration step,
    Duration window,
    Duration hold,
    Duration report,
    double voiceAbove,
    double voiceBelow,
    long volumeAboveBytes,
    long volumeBelowBytes,
    Duration lateness,
    RecordTopic messages,
    RecordTopic channels,
    String topic,
    ResultTopic.Release release,
    String webhook) {
  private static final Duration LONGEST_LATENESS = Duration.ofHours(1);
  private static final String NO_CELLS =
      "cells: name the CSV file that has the columns area, cell and controller";
  private static final int MOST_SLOTS = 128;

  /** Checks each value. */
  public VoiceConfig {
    cells = cells == null || cells.isEmpty() ? null : cells;
    webhook = webhook == null || webhook.isEmpty() ? null : webhook;
    require(slots >= 1 && slots <= MOST_SLOTS, "slots: " + slots + " is not in 1 to " + MOST_SLOTS);
    require(cells != null || !enabled, NO_CELLS);
    require(
        !lateness.isNegative() && lateness.compareTo(LONGEST_LATENESS) <= 0,
        "lateness: " + lateness.toMillis() + "ms is not in 0 to 1h");
    require(
        topic.matches("[A-Za-z0-9._-]{1,200}") && !topic.startsWith("millrace."),
        "topic: " + topic + " is not the name of a topic, or one of the log's own");
    require(
        !topic.equals(messages.topic()) && !topic.equals(channels.topic()),
        "topic: " + topic + " is read, and cannot get the commands");
    rules(step, window, hold, report, voiceAbove, voiceBelow, volumeAboveBytes, volumeBelowBytes);
    posted(topic, webhook);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** Not enabled; a window as it is published. */
  public static VoiceConfig defaults() {
    return new VoiceConfig(
        false,
        1,
        null,
        Duration.ofMillis(100),
        Duration.ofMinutes(5),
        Duration.ofMinutes(1),
        Duration.ofSeconds(5),
        0.9,
        0.8,
        100L << 20,
        50L << 20,
        Duration.ofSeconds(1),
        RecordTopic.NONE,
        RecordTopic.NONE,
        "commands",
        ResultTopic.Release.AT_ONCE,
        null);
  }

  /** The same, switched on, with other subtasks, cells of a file, posting to a URL. */
  public VoiceConfig running(int subtasks, String file, String url) {
    return new VoiceConfig(
        true,
        subtasks,
        file,
        step,
        window,
        hold,
        report,
        voiceAbove,
        voiceBelow,
        volumeAboveBytes,
        volumeBelowBytes,
        lateness,
        messages,
        channels,
        topic,
        release,
        url);
  }

  /** The file of the cells, which a job that runs needs. */
  Path cellFile() {
    require(cells != null, "voice." + NO_CELLS);
    return Path.of(cells);
  }

  /** The rules. */
  VoiceRules rules() {
    return rules(
        step, window, hold, report, voiceAbove, voiceBelow, volumeAboveBytes, volumeBelowBytes);
  }

  private static VoiceRules rules(
      Duration step,
      Duration window,
      Duration hold,
      Duration report,
      double voiceAbove,
      double voiceBelow,
      long volumeAbove,
      long volumeBelow) {
    return new VoiceRules(
        micros(step),
        micros(window),
        micros(hold),
        micros(report),
        voiceAbove,
        voiceBelow,
        volumeAbove,
        volumeBelow);
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  /** Where commands are posted to. */
  Optional<WebhookConfig> posted() {
    return posted(topic, webhook);
  }

  private static Optional<WebhookConfig> posted(String topic, String webhook) {
    if (webhook == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(WebhookConfig.of("voice", topic, URI.create(webhook)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "webhook: '" + webhook + "' is not http://HOST… or https://HOST…", e);
    }
  }
}
