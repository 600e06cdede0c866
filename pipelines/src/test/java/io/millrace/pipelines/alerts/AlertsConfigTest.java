package io.millrace.pipelines.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.alerts.AlertKind;
import io.millrace.engine.webhook.WebhookFormat;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlertsConfigTest {
  private static final AlertsConfig NONE = AlertsConfig.NONE;

  @Test
  void aWebhookAloneIsEnough() {
    AlertsConfig config = NONE.withWebhook("http://127.0.0.1:9/x");
    assertThat(config.topicName()).hasValue("alerts");
    assertThat(config.posted().orElseThrow().topic()).isEqualTo("alerts");
    assertThat(config.posted().orElseThrow().format()).isEqualTo(WebhookFormat.JSON);
    assertThat(config.wanted(List.of(AlertKind.HITTER, AlertKind.TREND)))
        .containsExactly(AlertKind.HITTER, AlertKind.TREND);
  }

  @Test
  void aTopicAloneIsEnough() {
    AlertsConfig config = NONE.withTopic("new-keys").withKinds(List.of("trend"));
    assertThat(config.topicName()).hasValue("new-keys");
    assertThat(config.posted()).isEmpty();
    assertThat(config.wanted(List.of(AlertKind.values()))).containsExactly(AlertKind.TREND);
  }

  @Test
  void withoutEitherNothingIsGiven() {
    assertThat(NONE.isOn()).isFalse();
    assertThat(NONE.wanted(List.of(AlertKind.values()))).isEmpty();
  }

  @Test
  void theConsoleEndsWithASlash() {
    assertThat(NONE.withConsole("https://m.example").consoleWithSlash())
        .isEqualTo("https://m.example/");
    assertThat(NONE.withConsole("https://m.example/a/").consoleWithSlash())
        .isEqualTo("https://m.example/a/");
    assertThat(NONE.consoleWithSlash()).isNull();
  }

  @Test
  void wrongValuesAreRejectedByName() {
    assertThatThrownBy(() -> NONE.withWebhook("localhost:9000"))
        .hasMessage(
            "webhook: 'localhost:9000' is not a URL, expected http://HOST… or https://HOST…");
    assertThatThrownBy(() -> NONE.withConsole("millrace.example"))
        .hasMessage(
            "console: 'millrace.example' is not a URL, expected http://HOST… or https://HOST…");
    assertThatThrownBy(() -> NONE.withKinds(List.of("hitter", "flood")))
        .hasMessage("kinds: 'flood' is unknown, expected hitter, changer or trend");
    assertThatThrownBy(() -> NONE.withResolveAfter(Duration.ofMillis(10)))
        .hasMessage("resolve-after: 10ms is out of range, expected 1s to 7d");
    assertThatThrownBy(() -> NONE.withTopic("millrace.flows"))
        .hasMessageContaining("millrace.flows");
  }
}
