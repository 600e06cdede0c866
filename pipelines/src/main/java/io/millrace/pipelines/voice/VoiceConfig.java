package io.millrace.pipelines.voice;

import static io.millrace.pipelines.JobSettings.checkJob;
import static io.millrace.pipelines.JobSettings.checkTopic;
import static io.millrace.pipelines.JobSettings.require;

import io.millrace.analytics.voice.VoiceRules;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.engine.webhook.WebhookConfig;
import io.millrace.pipelines.JobSettings;
import io.millrace.pipelines.RecordTopic;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Settings of voice protection. Invalid values are rejected here.
 *
 * @param enabled whether the job runs
 * @param slots number of subtasks of each step
 * @param cells CSV file of the controllers of cells; null if not enabled
 * @param step interval at which controllers are evaluated
 * @param window over which bytes are summed
 * @param hold minimum calm time before a limit ends
 * @param report interval at which a controller's row is updated
 * @param voiceAbove share of voice channels in use, above which data is limited
 * @param voiceBelow share below which a controller is calm
 * @param volumeAboveBytes bytes in the window, above which data is limited
 * @param volumeBelowBytes bytes in the window, below which a controller is calm
 * @param watermarkDelay delay of the watermark after the newest record of a partition
 * @param messages the external topic of messages
 * @param channels the external topic of shares of voice channels
 * @param topic for the commands
 * @param release when results are sent
 * @param webhook URL to which they are posted; null for none
 */
@RecordBuilder
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
    Duration watermarkDelay,
    RecordTopic messages,
    RecordTopic channels,
    String topic,
    ResultTopic.Release release,
    String webhook)
    implements VoiceConfigBuilder.With {
  private static final String NO_CELLS =
      "cells: not set, expected a CSV file with the columns area, cell and controller";

  public VoiceConfig {
    cells = cells == null || cells.isEmpty() ? null : cells;
    webhook = webhook == null || webhook.isEmpty() ? null : webhook;
    checkJob(slots, watermarkDelay);
    require(cells != null || !enabled, NO_CELLS);
    checkTopic(topic, "commands", List.of(messages, channels));
    rules(step, window, hold, report, voiceAbove, voiceBelow, volumeAboveBytes, volumeBelowBytes);
    var unused = JobSettings.posted("voice", topic, webhook);
  }

  /** Disabled; the published window. */
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

  /** These settings, enabled, with other subtasks, a file of cells, and a webhook. */
  public VoiceConfig running(int subtasks, String file, String url) {
    return with(to -> to.enabled(true).slots(subtasks).cells(file).webhook(url));
  }

  Path cellFile() {
    require(cells != null, "voice." + NO_CELLS);
    return Path.of(cells);
  }

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

  Optional<WebhookConfig> posted() {
    return JobSettings.posted("voice", topic, webhook);
  }
}
