package io.millrace.server.collect;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.LedgerQuota;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Settings of a {@link UdpCollector}.
 *
 * @param listen listen addresses, at least one; each accepts every protocol, detected by content.
 *     Port 0 takes a free port
 * @param receiveBufferBytes requested receive buffer of each socket, 64 KiB to 1 GiB; the kernel
 *     limits it to {@code net.core.rmem_max}
 * @param sockets sockets per address, 1 to 64, read by one thread; the kernel distributes the
 *     exporters over them, so that each has a buffer for part of the exporters
 * @param maxBatchBytes size at which a batch is written to the log, 2 KiB to 12 MiB; larger batches
 *     cost less per datagram
 * @param lingerMicros maximum time that a datagram waits for its batch to fill, 0 to 1 s
 * @param pauseMicros sleep of the reader after it has emptied the sockets, 0 to 5 ms; saves
 *     wake-ups, and limits the accuracy of arrival times
 * @param maxExporters exporters counted individually, at least 1
 * @param maxExportersPerSender exporters counted individually per sender, an IPv4 address or an
 *     IPv6 /64; at least 1
 * @param knownExporters addresses of senders whose exporters are always counted individually, up to
 *     the limit per sender
 * @param saveIntervalMillis interval between saves of the counters, and between reads of the
 *     kernel's counters, 10 ms to 1 min
 * @param closeTimeoutMillis maximum time that close waits for the log, 0 to 10 min
 */
@RecordBuilder
public record CollectorConfig(
    List<InetSocketAddress> listen,
    int receiveBufferBytes,
    int sockets,
    int maxBatchBytes,
    int lingerMicros,
    int pauseMicros,
    int maxExporters,
    int maxExportersPerSender,
    List<String> knownExporters,
    int saveIntervalMillis,
    int closeTimeoutMillis)
    implements CollectorConfigBuilder.With {

  /** The port assigned to sFlow by IANA. */
  public static final int SFLOW_PORT = 6343;

  /** The usual port of NetFlow. */
  public static final int NETFLOW_PORT = 2055;

  /** The port assigned to IPFIX by IANA. */
  public static final int IPFIX_PORT = 4739;

  /** Checks every setting. */
  public CollectorConfig {
    listen = List.copyOf(listen);
    if (listen.isEmpty()) {
      throw new IllegalArgumentException("collector.listen: empty, expected at least one address");
    }
    for (InetSocketAddress address : listen) {
      if (address.isUnresolved()) {
        throw new IllegalArgumentException(
            "collector.listen: " + address.getHostString() + " is not an address of this machine");
      }
    }
    require("receive-buffer", receiveBufferBytes, 1 << 16, 1 << 30, "bytes");
    require("sockets", sockets, 1, 64, "sockets");
    require("max-batch", maxBatchBytes, 1 << 11, 12 << 20, "bytes");
    require("linger", lingerMicros, 0, 1_000_000, "µs");
    require("pause", pauseMicros, 0, 5_000, "µs");
    require("max-exporters", maxExporters, 1, Integer.MAX_VALUE, "exporters");
    require("max-exporters-per-sender", maxExportersPerSender, 1, Integer.MAX_VALUE, "exporters");
    knownExporters = List.copyOf(knownExporters);
    knownExporters.forEach(CollectorConfig::sender);
    require("save-interval", saveIntervalMillis, 10, 60_000, "ms");
    require("close-timeout", closeTimeoutMillis, 0, 600_000, "ms");
  }

  /** Listens on the ports of sFlow, NetFlow and IPFIX, on all IPv4 and IPv6 addresses. */
  public static CollectorConfig defaults() {
    return new CollectorConfig(
        List.of(
            new InetSocketAddress(SFLOW_PORT),
            new InetSocketAddress(NETFLOW_PORT),
            new InetSocketAddress(IPFIX_PORT)),
        64 << 20,
        8,
        128 << 10,
        20_000,
        300,
        LedgerQuota.DEFAULT.inAll(),
        LedgerQuota.DEFAULT.perSender(),
        List.of(),
        1_000,
        10_000);
  }

  /**
   * Limits of the number of individually counted exporters.
   *
   * @param keepMicros idle time after which an exporter is merged into the others, microseconds
   */
  public LedgerQuota quota(long keepMicros) {
    return new LedgerQuota(
        maxExportersPerSender,
        maxExporters,
        keepMicros,
        knownExporters.stream()
            .map(CollectorConfig::sender)
            .collect(Collectors.toUnmodifiableSet()));
  }

  private static LedgerQuota.Sender sender(String text) {
    long[] address = new long[2];
    if (!Addresses.parse(text, address)) {
      throw new IllegalArgumentException(
          "collector.known-exporters: "
              + text
              + ": invalid address, expected 192.0.2.1 or 2001:db8::1");
    }
    return LedgerQuota.Sender.of(address[0], address[1]);
  }

  /** Returns a copy with other listen addresses. */
  public CollectorConfig withListen(InetSocketAddress... addresses) {
    return withListen(List.of(addresses));
  }

  /** Returns a copy with another batch size and linger. */
  public CollectorConfig withBatch(int maxBytes, int lingerMicros) {
    return CollectorConfigBuilder.builder(this)
        .maxBatchBytes(maxBytes)
        .lingerMicros(lingerMicros)
        .build();
  }

  private static void require(String key, long value, long min, long max, String unit) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          String.format(
              "collector.%s: %d %s is out of range, expected %d to %d %s",
              key, value, unit, min, max, unit));
    }
  }
}
