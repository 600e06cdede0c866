package io.millrace.engine.webhook;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * Settings of a webhook. Invalid values are rejected here, with name, value and allowed range.
 * Immutable.
 *
 * @param name identifies the webhook and its consumer group; must never change
 * @param topic of results
 * @param url that receives them
 * @param batch maximum number of results per request; with 1, the key of each request is its
 *     result's identity
 * @param timeout of a request
 * @param longestPause maximum back-off; starts at 100 ms and doubles
 * @param headers additional headers of each request, for authentication
 * @param format of the body of a request
 */
@RecordBuilder
public record WebhookConfig(
    String name,
    String topic,
    URI url,
    int batch,
    Duration timeout,
    Duration longestPause,
    Map<String, String> headers,
    WebhookFormat format)
    implements WebhookConfigBuilder.With {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration DEFAULT_PAUSE = Duration.ofSeconds(30);

  public WebhookConfig {
    headers = Map.copyOf(headers);
    require(name.matches("[A-Za-z0-9._-]{1,100}"), "name", name, "letters, digits, dots, hyphens");
    require(
        url.getHost() != null
            && ("http".equals(url.getScheme()) || "https".equals(url.getScheme())),
        "url",
        url,
        "http://HOST… or https://HOST…");
    require(batch >= 1 && batch <= 10_000, "batch", batch, "1 to 10000");
    require(!timeout.isNegative() && !timeout.isZero(), "timeout", timeout, "more than 0");
    require(longestPause.toMillis() >= 1, "longest-pause", longestPause, "1ms or more");
  }

  private static void require(boolean holds, String name, Object value, String allowed) {
    if (!holds) {
      throw new IllegalArgumentException("webhook " + name + ": " + value + " is not " + allowed);
    }
  }

  /** One result per request, a timeout of 10 s, a back-off of at most 30 s. */
  public static WebhookConfig of(String name, String topic, URI url) {
    return new WebhookConfig(
        name, topic, url, 1, DEFAULT_TIMEOUT, DEFAULT_PAUSE, Map.of(), WebhookFormat.JSON);
  }

  WebhookConfig withTimeout(Duration timeout, Duration longestPause) {
    return WebhookConfigBuilder.builder(this).timeout(timeout).longestPause(longestPause).build();
  }
}
