package io.millrace.store;

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
    HttpUrl.check("store.trino.url", url);
  }

  /** No Trino. */
  public static TrinoConfig defaults() {
    return new TrinoConfig(null, "millrace", "lake");
  }
}
