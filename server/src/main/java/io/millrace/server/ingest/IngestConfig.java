package io.millrace.server.ingest;

import io.millrace.server.access.AccessToken;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings of the listener for records of streams.
 *
 * @param listen listen address for HTTP and WebSocket; null for none. Any address other than
 *     loopback requires a token. Port 0 takes a free port
 * @param maxBodyBytes maximum size of a body or message, also after decompression
 * @param maxConnections maximum connections; further ones wait to be accepted
 * @param maxConnectionsEach maximum connections of a sender, by IPv4 address or IPv6 /64; further
 *     ones are rejected
 * @param maxRate maximum records a second of a sender, identified by the token of its key or else
 *     its address; 0 for no limit
 * @param bufferBytes memory for unacknowledged records and unfinished requests; a sender may use at
 *     most as much as is free. When it is full, requests are rejected and WebSockets are not read
 * @param maxBatchBytes maximum size of a log value
 * @param lingerMicros pause between two passes of writing, in which records accumulate
 * @param idleTimeout idle timeout of a connection, and maximum time to receive request headers and
 *     for a WebSocket client to read a frame
 * @param maxClients maximum number of clients whose frame numbers are kept
 * @param token token for records of all streams; null for none
 * @param tokenFile file that contains the token; null for none
 * @param keyTokens file of tokens that are each restricted to one key of a stream; null for none
 * @param tlsCertificate PEM file of the certificate chain; null for plain HTTP
 * @param tlsKey PEM file of the private key; null if it is in the certificate file
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
    Path keyTokens,
    Path tlsCertificate,
    Path tlsKey)
    implements IngestConfigBuilder.With {
  /** Disables the listener. */
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

  /** Checks the ranges, and that a listener on another address than loopback has a token. */
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
          "ingest.listen: " + listen.getHostString() + " is not an address of this machine");
    }
    if (token != null && tokenFile != null) {
      throw new IllegalArgumentException(
          "ingest.token and ingest.token-file are mutually exclusive; remove one");
    }
    if (listen != null
        && !listen.getAddress().isLoopbackAddress()
        && token == null
        && tokenFile == null
        && keyTokens == null) {
      throw new IllegalArgumentException(
          "ingest.listen: "
              + listen.getHostString()
              + ":"
              + listen.getPort()
              + " is not loopback, so a token is required: write one into a file (openssl rand"
              + " -hex 32 > token) and name it in ingest.token-file, or one per key in"
              + " ingest.key-tokens; or listen on 127.0.0.1");
    }
    if (tlsKey != null && tlsCertificate == null) {
      throw new IllegalArgumentException(
          "ingest.tls-key: requires ingest.tls-certificate, the PEM file of its certificate");
    }
  }

  private static void require(String key, long value, long min, long max, String unit) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "ingest.%s: %d %s is out of range, expected %d to %d"
              .formatted(key, value, unit, min, max));
    }
  }

  IngestConfig withLimits(int maxBodyBytes, int maxConnections, long maxRate, long bufferBytes) {
    return IngestConfigBuilder.builder(this)
        .maxBodyBytes(maxBodyBytes)
        .maxConnections(maxConnections)
        .maxRate(maxRate)
        .bufferBytes(bufferBytes)
        .build();
  }

  IngestConfig withTokens(AccessToken token, Path keyTokens) {
    return IngestConfigBuilder.builder(this)
        .token(token)
        .tokenFile(null)
        .keyTokens(keyTokens)
        .build();
  }

  IngestConfig withTls(Path certificate, Path key) {
    return IngestConfigBuilder.builder(this).tlsCertificate(certificate).tlsKey(key).build();
  }
}
