package io.millrace.store;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * Connection to a Trino whose catalog contains the tables of this instance.
 *
 * @param url {@code http://HOST:PORT} or {@code https://HOST:PORT}; null if there is no Trino
 * @param user user name for Trino, sent without a password
 * @param catalog name of the catalog
 */
public record TrinoConfig(String url, String user, String catalog) {
  /** Validates the URL. */
  public TrinoConfig {
    if (url != null && !isUrl(url)) {
      throw new IllegalArgumentException(
          "store.trino.url: invalid URL "
              + url
              + ", expected http://HOST:PORT or https://HOST:PORT");
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

  /** No Trino. */
  public static TrinoConfig defaults() {
    return new TrinoConfig(null, "millrace", "lake");
  }
}
