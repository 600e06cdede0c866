package io.millrace.server.api;

import io.millrace.server.access.AccessToken;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Settings of the listener for API and console.
 *
 * @param address bind address, loopback by default; any other needs a token
 * @param port TCP port, 0 to 65535; 0 for a free port
 * @param maxBodyBytes maximum size of a request's body
 * @param token token required from clients; null for none
 * @param tokenFile file that contains the token; null for none
 * @param tlsCertificate PEM file of the certificate chain; null for plain HTTP
 * @param tlsKey PEM file of the private key (PKCS #8, not encrypted); null if it is in the
 *     certificate file
 * @param hosts additional accepted host names, such as those of a proxy
 * @param queries limits of concurrent queries
 * @param transfers minimum rate of responses and request bodies
 * @param connections limits of connections
 */
@RecordBuilder
public record HttpConfig(
    String address,
    int port,
    int maxBodyBytes,
    AccessToken token,
    Path tokenFile,
    Path tlsCertificate,
    Path tlsKey,
    List<String> hosts,
    QueriesConfig queries,
    TransfersConfig transfers,
    ConnectionsConfig connections)
    implements HttpConfigBuilder.With {
  private static final Pattern HOST =
      Pattern.compile(
          "(\\*\\.)?[A-Za-z0-9._-]+|\\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*]?");

  /** On loopback, port 8080, without a token and without TLS. */
  public static final HttpConfig DEFAULTS = new HttpConfig("127.0.0.1", 8080, 1 << 20);

  /** Checks the ranges, and that a listener on another address than loopback has a token. */
  public HttpConfig {
    hosts = List.copyOf(hosts);
    for (String host : hosts) {
      if (!HOST.matcher(host).matches()) {
        throw new IllegalArgumentException(
            "http.hosts: " + host + ": invalid host name or address; write it without a port");
      }
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(
          "http.port: " + port + " is out of range, expected 0 to 65535");
    }
    if (maxBodyBytes < 1_024) {
      throw new IllegalArgumentException(
          "http.max-body: " + maxBodyBytes + " is out of range, expected at least 1KiB");
    }
    if (token != null && tokenFile != null) {
      throw new IllegalArgumentException(
          "http.token and http.token-file are mutually exclusive; remove one");
    }
    if (token == null && tokenFile == null && !isLoopback(address)) {
      throw new IllegalArgumentException(
          "http.address: "
              + address
              + " is not loopback, so a token is required: write one into a file (openssl rand"
              + " -hex 32 > token), name it in http.token-file, and pass it to clients as"
              + " MILLRACE_TOKEN; or use the address 127.0.0.1");
    }
    if (tlsKey != null && tlsCertificate == null) {
      throw new IllegalArgumentException(
          "http.tls-key: requires http.tls-certificate, the PEM file of its certificate");
    }
  }

  /** Without a token and without TLS. */
  public HttpConfig(String address, int port, int maxBodyBytes) {
    this(
        address,
        port,
        maxBodyBytes,
        null,
        null,
        null,
        null,
        List.of(),
        QueriesConfig.DEFAULTS,
        TransfersConfig.DEFAULTS,
        ConnectionsConfig.DEFAULTS);
  }

  /** URL of the console; empty if unknown until the listener is bound. */
  public Optional<String> url() {
    if (port == 0 || address.equals("0.0.0.0") || address.equals("::")) {
      return Optional.empty();
    }
    String host = address.contains(":") ? "[" + address + "]" : address;
    String scheme = tlsCertificate == null ? "http" : "https";
    return Optional.of("%s://%s:%d/".formatted(scheme, host, port));
  }

  /**
   * Whether an address is loopback. False for an unknown name, which is reported when it is bound.
   */
  public static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** Returns a copy with a token. */
  @Override
  public HttpConfig withToken(AccessToken token) {
    return HttpConfigBuilder.builder(this).token(token).tokenFile(null).build();
  }

  /** Returns a copy with TLS. */
  public HttpConfig withTls(Path certificate, Path key) {
    return HttpConfigBuilder.builder(this).tlsCertificate(certificate).tlsKey(key).build();
  }

  /**
   * Returns the required token, read from its file if one is configured; empty if none is required.
   *
   * @throws IOException if the file cannot be read or contains no token; the message names the file
   */
  public Optional<AccessToken> requiredToken() throws IOException {
    return tokenFile == null
        ? Optional.ofNullable(token)
        : Optional.of(AccessToken.read(tokenFile));
  }

  /** Whether clients must send a token. */
  public boolean requiresToken() {
    return token != null || tokenFile != null;
  }

  boolean sendsTokenInPlaintext() {
    return requiresToken() && tlsCertificate == null && !isLoopback(address);
  }
}
