package io.millrace.engine.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WebhookFormatTest {
  private static final String RESULT =
      "{\"id\":\"ab\",\"time\":1700000000000000,\"kind\":\"hitter\",\"key\":\"192.0.2.1\","
          + "\"value\":7,\"text\":\"New \\\"heavy\\\" hitter\",\"link\":\"http://h/#x\"}";

  private static String body(WebhookFormat format, String... results) {
    List<byte[]> bytes =
        Stream.of(results).map(each -> each.getBytes(StandardCharsets.UTF_8)).toList();
    return new String(format.body(bytes), StandardCharsets.UTF_8);
  }

  @Test
  void jsonIsAnArrayOfTheResultsAsTheyAre() {
    assertThat(body(WebhookFormat.JSON, RESULT, "{}")).isEqualTo("[" + RESULT + ",{}]");
  }

  @Test
  void textIsOneTextWithTheLinksOnTheirLines() {
    assertThat(body(WebhookFormat.TEXT, RESULT, "{\"text\":\"two\"}"))
        .isEqualTo("{\"text\":\"New \\\"heavy\\\" hitter\\nhttp://h/#x\\ntwo\"}");
  }

  @Test
  void aResultWithoutATextIsItsOwnText() {
    assertThat(body(WebhookFormat.TEXT, "{\"a\":1}", "no JSON"))
        .isEqualTo("{\"text\":\"{\\\"a\\\":1}\\nno JSON\"}");
  }

  @Test
  void alertmanagerGetsTextsAsLabelsAndNoIdentity() {
    assertThat(body(WebhookFormat.ALERTMANAGER, RESULT))
        .isEqualTo(
            "[{\"labels\":{\"alertname\":\"millrace\",\"kind\":\"hitter\",\"key\":\"192.0.2.1\"},"
                + "\"annotations\":{\"value\":\"7\",\"summary\":\"New \\\"heavy\\\" hitter\"},"
                + "\"startsAt\":\"2023-11-14T22:13:20Z\",\"generatorURL\":\"http://h/#x\"}]");
  }
}
