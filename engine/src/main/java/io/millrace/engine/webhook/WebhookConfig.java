package io.millrace.engine.webhook;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * Where results are posted to. Wrong values are refused here, by name, value and what is allowed.
 * Immutable.
 *
 * @param name under which it is kept how far the topic was posted; never to be changed
 * @param topic of results
 * @param url that takes them
 * @param batch most results in one request; with 1 the key of each request is that of its result
 * @param timeout of a request
 * @param longestPause between two tries; the first is 100 ms, and each is twice as long as the one
 *     before
 * @param headers of each request besides, for access
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

  /** Checks each value. */
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

  /** One result a request, waited for 10 s, tried again after 30 s at most. */
  public static WebhookConfig of(String name, String topic, URI url) {
    return new WebhookConfig(
        name, topic, url, 1, DEFAULT_TIMEOUT, DEFAULT_PAUSE, Map.of(), WebhookFormat.JSON);
  }

  /** The same with other patience. */
  WebhookConfig withPatience(Duration timeout, Duration longestPause) {
    return WebhookConfigBuilder.builder(this).timeout(timeout).longestPause(longestPause).build();
  }
}
