package io.millrace.store;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * A Trino that has the tables of this instance in a catalog.
 *
 * @param url {@code http://HOST:PORT}; null for none
 * @param user user name for Trino, sent without a password
 * @param catalog name of the catalog
 */
public record TrinoConfig(String url, String user, String catalog) {
  /** Validates the URL. */
  public TrinoConfig {
    if (url != null && !isUrl(url)) {
      throw new IllegalArgumentException(
          "store.trino.url: " + url + " is invalid, expected http://HOST:PORT");
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
