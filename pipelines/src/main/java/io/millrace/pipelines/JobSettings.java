package io.millrace.pipelines;

import io.millrace.engine.webhook.WebhookConfig;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Checks of settings that several pipelines have. Each throws an {@link IllegalArgumentException}
 * that begins with the setting's name.
 */
public final class JobSettings {
  private static final int MAX_SLOTS = 128;
  private static final Duration MAX_WATERMARK_DELAY = Duration.ofHours(1);

  private JobSettings() {}

  /** Throws with the message {@code otherwise} unless a condition holds. */
  public static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** Checks the number of subtasks and the watermark delay of records, which is at most an hour. */
  public static void checkJob(int slots, Duration watermarkDelay) {
    checkSlots(slots);
    require(
        !watermarkDelay.isNegative() && watermarkDelay.compareTo(MAX_WATERMARK_DELAY) <= 0,
        "watermark-delay: " + watermarkDelay.toMillis() + "ms is out of range, expected 0 to 1h");
  }

  /** Checks the number of subtasks. */
  public static void checkSlots(int slots) {
    require(
        slots >= 1 && slots <= MAX_SLOTS,
        "slots: " + slots + " is out of range, expected 1 to " + MAX_SLOTS);
  }

  /**
   * Checks the topic of the results.
   *
   * @param results their name in messages
   * @param read topics that the pipeline reads
   */
  public static void checkTopic(String topic, String results, List<RecordTopic> read) {
    require(
        topic.matches("[A-Za-z0-9._-]{1,200}") && !topic.startsWith("millrace."),
        "topic: " + topic + " is not a topic name, or is reserved for the log");
    require(
        read.stream().noneMatch(each -> topic.equals(each.topic())),
        "topic: " + topic + " is an input of this pipeline, and cannot receive the " + results);
  }

  /**
   * Configuration of a webhook for the results of a topic.
   *
   * @param webhook the URL; null for none
   */
  public static Optional<WebhookConfig> posted(String pipeline, String topic, String webhook) {
    if (webhook == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(WebhookConfig.of(pipeline, topic, URI.create(webhook)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "webhook: '" + webhook + "' is not a URL, expected http://HOST… or https://HOST…", e);
    }
  }
}
