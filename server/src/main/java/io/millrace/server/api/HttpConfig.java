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
 * Where the HTTP API and the dashboard listen, and who may ask.
 *
 * @param address address to bind, loopback by default; any other needs a token
 * @param port TCP port, 0 to 65535; 0 takes a free one
 * @param maxBodyBytes longest request body that is read
 * @param token what clients must show; null for none
 * @param tokenFile a file that holds it; null for none
 * @param tlsCertificate PEM file of the certificate and those between it and its root; null for
 *     plain HTTP
 * @param tlsKey PEM file of the certificate's key (PKCS #8, not encrypted); null if it stands in
 *     the certificate's file
 * @param hosts names and addresses under which a proxy passes requests on
 * @param answers how much clients may ask for at once, and how slowly they may read and send
 * @param connections how many connections clients may have
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
    AnswersConfig answers,
    ConnectionsConfig connections)
    implements HttpConfigBuilder.With {
  private static final Pattern HOST =
      Pattern.compile(
          "(\\*\\.)?[A-Za-z0-9._-]+|\\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*]?");

  /** On loopback, port 8080, without a token and without TLS. */
  public static final HttpConfig DEFAULTS = new HttpConfig("127.0.0.1", 8080, 1 << 20);

  /** Checks the ranges, and that nobody on the network may ask without a token. */
  public HttpConfig {
    hosts = List.copyOf(hosts);
    for (String host : hosts) {
      if (!HOST.matcher(host).matches()) {
        throw new IllegalArgumentException(
            "http.hosts: " + host + " is no name or address of a host; write it without a port");
      }
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("http.port: " + port + " is not within 0 to 65535");
    }
    if (maxBodyBytes < 1_024) {
      throw new IllegalArgumentException("http.max-body: " + maxBodyBytes + " is less than 1KiB");
    }
    if (token != null && tokenFile != null) {
      throw new IllegalArgumentException("http.token: stands beside http.token-file, keep one");
    }
    if (token == null && tokenFile == null && !isLoopback(address)) {
      throw new IllegalArgumentException(
          "http.address: "
              + address
              + " is open to the network, so a token is needed: write one into a file (openssl rand"
              + " -hex 32 > token), name it in http.token-file, and give it to clients as"
              + " MILLRACE_TOKEN; or keep the address 127.0.0.1");
    }
    if (tlsKey != null && tlsCertificate == null) {
      throw new IllegalArgumentException(
          "http.tls-key: needs http.tls-certificate, the PEM file of its certificate");
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
        AnswersConfig.DEFAULTS,
        ConnectionsConfig.DEFAULTS);
  }

  /** The address of the console; empty where it is not known before the listener is bound. */
  public Optional<String> url() {
    if (port == 0 || address.equals("0.0.0.0") || address.equals("::")) {
      return Optional.empty();
    }
    String host = address.contains(":") ? "[" + address + "]" : address;
    String scheme = tlsCertificate == null ? "http" : "https";
    return Optional.of("%s://%s:%d/".formatted(scheme, host, port));
  }

  /**
   * Whether only this machine reaches that address. A name that nobody knows is not loopback;
   * binding it says what is wrong with it.
   */
  public static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** The same with a token. */
  @Override
  public HttpConfig withToken(AccessToken token) {
    return HttpConfigBuilder.builder(this).token(token).tokenFile(null).build();
  }

  /** The same with TLS. */
  public HttpConfig withTls(Path certificate, Path key) {
    return HttpConfigBuilder.builder(this).tlsCertificate(certificate).tlsKey(key).build();
  }

  /**
   * What clients must show, read from the file if it stands there; empty if nothing.
   *
   * @throws IOException if the file cannot be read or holds no token; names it
   */
  public Optional<AccessToken> requiredToken() throws IOException {
    return tokenFile == null
        ? Optional.ofNullable(token)
        : Optional.of(AccessToken.read(tokenFile));
  }

  /** Whether clients must show a token. */
  public boolean wantsToken() {
    return token != null || tokenFile != null;
  }

  /** Whether a network may carry the token as it is, for all to read. */
  boolean showsTokenInClear() {
    return wantsToken() && tlsCertificate == null && !isLoopback(address);
  }
}
