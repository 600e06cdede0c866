package io.millrace.server.ingest;

import io.millrace.server.access.AccessToken;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Where gateways send their records, who may, and how much.
 *
 * @param listen address of HTTP and WebSocket; null for none. Any but loopback needs a token. Port
 *     0 takes a free one
 * @param maxBodyBytes longest body of a request and longest message, also when they are unpacked
 * @param maxConnections connections at a time; further ones wait to be accepted
 * @param maxConnectionsEach of these, connections of one sender, an IPv4 address or 64 bits of an
 *     IPv6 address; further ones are refused
 * @param maxRate records a second of one sender, by its token's gateway or else its address; 0 for
 *     no limit
 * @param bufferBytes records that wait for the log or for its answer, and what senders have begun
 *     and not ended, each at most as much as is free; beyond that, requests are refused and
 *     WebSockets not read
 * @param maxBatchBytes size of a value of the log
 * @param lingerMicros rest between two rounds of writing, in which records come together
 * @param idleTimeout silence after which a connection is given up, time in which the headers of a
 *     request have to come, and in which a WebSocket has to read a frame
 * @param maxClients clients whose frames are remembered
 * @param token that lets send records of all gateways; null for none
 * @param tokenFile a file that holds it; null for none
 * @param gatewayTokens a file of tokens that each let send records of one gateway; null for none
 * @param tlsCertificate PEM file of the certificate and those between it and its root; null for
 *     plain HTTP
 * @param tlsKey PEM file of the certificate's key; null if it stands in the certificate's file
 */
@RecordBuilder
public record IngestConfig(
    InetSocketAddress listen,
    int maxBodyBytes,
    int maxConnections,
    int maxConnectionsEach,
    long maxRate,
    long bufferBytes,
    int maxBatchBytes,
    int lingerMicros,
    Duration idleTimeout,
    int maxClients,
    AccessToken token,
    Path tokenFile,
    Path gatewayTokens,
    Path tlsCertificate,
    Path tlsKey)
    implements IngestConfigBuilder.With {
  /** Nothing listens. */
  public static final IngestConfig OFF =
      new IngestConfig(
          null,
          8 << 20,
          20_000,
          2_000,
          0,
          64 << 20,
          1 << 20,
          5_000,
          Duration.ofSeconds(75),
          100_000,
          null,
          null,
          null,
          null,
          null);

  /** Checks the ranges, and that nobody on the network may send without a token. */
  public IngestConfig {
    require("max-body", maxBodyBytes, 1 << 10, 64 << 20, "bytes");
    require("max-connections", maxConnections, 1, 10_000_000, "connections");
    require("max-connections-each", maxConnectionsEach, 1, 10_000_000, "connections");
    require("max-rate", maxRate, 0, Long.MAX_VALUE, "records a second");
    require("buffer", bufferBytes, 1 << 20, Long.MAX_VALUE, "bytes");
    require("max-batch", maxBatchBytes, 1 << 10, 8 << 20, "bytes");
    require("linger", lingerMicros, 0, 1_000_000, "µs");
    require("idle-timeout", idleTimeout.toMillis(), 1_000, 86_400_000, "ms");
    require("max-clients", maxClients, 1, 100_000_000, "clients");
    if (listen != null && listen.isUnresolved()) {
      throw new IllegalArgumentException(
          "ingest.listen: " + listen.getHostString() + " is no address of this machine's");
    }
    if (token != null && tokenFile != null) {
      throw new IllegalArgumentException("ingest.token: stands beside ingest.token-file, keep one");
    }
    if (listen != null
        && !listen.getAddress().isLoopbackAddress()
        && token == null
        && tokenFile == null
        && gatewayTokens == null) {
      throw new IllegalArgumentException(
          "ingest.listen: "
              + listen.getHostString()
              + ":"
              + listen.getPort()
              + " is open to the network, so a token is needed: write one into a file (openssl rand"
              + " -hex 32 > token) and name it in ingest.token-file, or one a gateway in"
              + " ingest.gateway-tokens; or listen on 127.0.0.1");
    }
    if (tlsKey != null && tlsCertificate == null) {
      throw new IllegalArgumentException(
          "ingest.tls-key: needs ingest.tls-certificate, the PEM file of its certificate");
    }
  }

  private static void require(String key, long value, long least, long most, String unit) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "ingest.%s: %d %s is not in %d to %d".formatted(key, value, unit, least, most));
    }
  }

  /** These settings with other limits. */
  IngestConfig withLimits(int maxBodyBytes, int maxConnections, long maxRate, long bufferBytes) {
    return IngestConfigBuilder.builder(this)
        .maxBodyBytes(maxBodyBytes)
        .maxConnections(maxConnections)
        .maxRate(maxRate)
        .bufferBytes(bufferBytes)
        .build();
  }

  /** These settings with tokens. */
  IngestConfig withTokens(AccessToken token, Path gatewayTokens) {
    return IngestConfigBuilder.builder(this)
        .token(token)
        .tokenFile(null)
        .gatewayTokens(gatewayTokens)
        .build();
  }

  /** These settings with TLS. */
  IngestConfig withTls(Path certificate, Path key) {
    return IngestConfigBuilder.builder(this).tlsCertificate(certificate).tlsKey(key).build();
  }
}
