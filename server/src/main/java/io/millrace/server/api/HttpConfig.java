package io.millrace.server.api;

/**
 * Where the HTTP API and the dashboard listen.
 *
 * @param address address to bind, loopback by default
 * @param port TCP port, 0 to 65535; 0 takes a free one
 * @param maxBodyBytes longest request body that is read
 */
public record HttpConfig(String address, int port, int maxBodyBytes) {
  /** On loopback, port 8080. */
  public static final HttpConfig DEFAULTS = new HttpConfig("127.0.0.1", 8080, 1 << 20);

  /** Checks the ranges. */
  public HttpConfig {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("http.port: " + port + " is not within 0 to 65535");
    }
    if (maxBodyBytes < 1_024) {
      throw new IllegalArgumentException("http.max-body: " + maxBodyBytes + " is less than 1KiB");
    }
  }

  /** The same with another port. */
  public HttpConfig withPort(int port) {
    return new HttpConfig(address, port, maxBodyBytes);
  }
}
