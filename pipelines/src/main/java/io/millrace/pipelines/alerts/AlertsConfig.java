package io.millrace.pipelines.alerts;

import io.millrace.analytics.alerts.AlertKind;
import io.millrace.engine.sink.ResultTopic;
import io.millrace.engine.webhook.WebhookConfig;
import io.millrace.engine.webhook.WebhookFormat;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Settings of the delivery of alerts for new heavy hitters, changers and trends. Invalid values are
 * rejected here.
 *
 * @param webhook URL to which they are posted; null for none
 * @param format of the request body
 * @param topic of the log to which they are written; null for {@value #TOPIC} if there is a
 *     webhook, otherwise for none
 * @param kinds {@link AlertKind#label labels} of the enabled kinds
 * @param resolveAfter time without a report after which a key is new again, 1 s to 7 days
 * @param console address of the console in links; null for that of the HTTP listener
 */
@RecordBuilder
public record AlertsConfig(
    String webhook,
    WebhookFormat format,
    String topic,
    List<String> kinds,
    Duration resolveAfter,
    String console)
    implements AlertsConfigBuilder.With {
  /** Name of the section, and of the webhook. */
  public static final String NAME = "alerts";

  /** The default topic. */
  public static final String TOPIC = "alerts";

  private static final Duration MAX = Duration.ofDays(7);

  /** No delivery. */
  public static final AlertsConfig NONE =
      new AlertsConfig(
          null,
          WebhookFormat.JSON,
          null,
          Stream.of(AlertKind.values()).map(AlertKind::label).toList(),
          Duration.ofMinutes(15),
          null);

  public AlertsConfig {
    webhook = blankToNull(webhook);
    console = blankToNull(console);
    topic = ResultTopic.checkName(topic);
    kinds = List.copyOf(kinds);
    for (String kind : kinds) {
      if (AlertKind.of(kind).isEmpty()) {
        throw new IllegalArgumentException(
            "kinds: '" + kind + "' is unknown, expected hitter, changer or trend");
      }
    }
    if (resolveAfter.compareTo(Duration.ofSeconds(1)) < 0 || resolveAfter.compareTo(MAX) > 0) {
      throw new IllegalArgumentException(
          "resolve-after: " + resolveAfter.toMillis() + "ms is out of range, expected 1s to 7d");
    }
    if (console != null && !console.matches("https?://[^\\s/?#]+(/[^\\s?#]*)?")) {
      throw new IllegalArgumentException(
          "console: '" + console + "' is not a URL, expected http://HOST… or https://HOST…");
    }
    if (webhook != null) {
      var unused = posted(webhook, TOPIC, format);
    }
  }

  private static String blankToNull(String text) {
    return text == null || text.isBlank() ? null : text;
  }

  /** Whether alerts are delivered. */
  public boolean isOn() {
    return topicName().isPresent();
  }

  /** The topic for alerts; empty if they are not delivered. */
  public Optional<String> topicName() {
    return topic == null && webhook != null ? Optional.of(TOPIC) : Optional.ofNullable(topic);
  }

  /** The webhook. */
  public Optional<WebhookConfig> posted() {
    return webhook == null
        ? Optional.empty()
        : Optional.of(posted(webhook, topicName().orElseThrow(), format));
  }

  private static WebhookConfig posted(String webhook, String topic, WebhookFormat format) {
    try {
      return WebhookConfig.of(NAME, topic, URI.create(webhook)).withFormat(format);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "webhook: '" + webhook + "' is not a URL, expected http://HOST… or https://HOST…", e);
    }
  }

  /** The enabled kinds among {@code given}; none if alerts are not delivered. */
  public Set<AlertKind> wanted(List<AlertKind> given) {
    Set<AlertKind> wanted = EnumSet.noneOf(AlertKind.class);
    given.stream().filter(each -> isOn() && kinds.contains(each.label())).forEach(wanted::add);
    return wanted;
  }

  /** The address of the console with a trailing slash; null if unknown. */
  public String consoleWithSlash() {
    return console == null || console.endsWith("/") ? console : console + "/";
  }
}
