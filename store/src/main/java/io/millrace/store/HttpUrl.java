package io.millrace.store;

import java.net.URI;
import java.net.URISyntaxException;

/** URLs of servers in the configuration. */
final class HttpUrl {
  private HttpUrl() {}

  /**
   * Checks that a text is a URL with a host.
   *
   * @param key of the setting, for the message
   * @param text may be null
   * @throws IllegalArgumentException if it is another text
   */
  static void check(String key, String text) {
    if (text != null && !isUrl(text)) {
      throw new IllegalArgumentException(
          key + ": invalid URL " + text + ", expected http://HOST:PORT or https://HOST:PORT");
    }
  }

  private static boolean isUrl(String text) {
    try {
      URI uri = new URI(text);
      return uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()));
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
