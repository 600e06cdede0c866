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
 * @param listen addresses to receive on, at least one; the protocol is recognised by content, so
 *     any protocol may come to any of them. Port 0 takes a free one
 * @param receiveBufferBytes what to ask the kernel for as each socket's buffer, 64 KiB to 1 GiB; it
 *     gives what {@code net.core.rmem_max} allows
 * @param sockets sockets on each address, 1 to 64, all read by one thread; the kernel spreads the
 *     exporters over them, so that as many buffers hold what comes while the process is held up
 * @param maxBatchBytes size at which a batch is handed to the log, 2 KiB to 12 MiB; a larger one
 *     costs the log less for each datagram
 * @param lingerMicros how long a datagram may wait for others to share its batch, 0 to 1 s
 * @param pauseMicros how long the reader sleeps when it has emptied the sockets and traffic flows,
 *     0 to 5 ms; a pause saves a wake-up for each datagram and makes arrival times as much less
 *     exact
 * @param maxExporters how many exporters are counted one by one, at least 1
 * @param maxExportersPerSender how many of one sender, an IPv4 address or an IPv6 /64; at least 1
 * @param knownExporters addresses of senders whose exporters are counted one by one whoever else
 *     sends, up to those of a sender
 * @param saveIntervalMillis time between two saves of the counts and two looks at the kernel's
 *     counters, 10 ms to 1 min
 * @param closeTimeoutMillis how long a close waits for the log to confirm what it has, 0 to 10 min
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

  /** The port that IANA has assigned to sFlow. */
  public static final int SFLOW_PORT = 6343;

  /** The port that NetFlow's exporters use most. */
  public static final int NETFLOW_PORT = 2055;

  /** The port that IANA has assigned to IPFIX. */
  public static final int IPFIX_PORT = 4739;

  /** Checks every setting. */
  public CollectorConfig {
    listen = List.copyOf(listen);
    if (listen.isEmpty()) {
      throw new IllegalArgumentException("collector.listen: is empty, give at least one address");
    }
    for (InetSocketAddress address : listen) {
      if (address.isUnresolved()) {
        throw new IllegalArgumentException(
            "collector.listen: " + address.getHostString() + " is no address of this machine's");
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

  /** Defaults: the ports of sFlow, NetFlow and IPFIX on all addresses, IPv4 and IPv6. */
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
   * How many exporters are counted one by one.
   *
   * @param keepMicros silence after which one is not, microseconds
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
          "collector.known-exporters: " + text + " is no address, write 192.0.2.1 or 2001:db8::1");
    }
    return LedgerQuota.Sender.of(address[0], address[1]);
  }

  /** These settings with other addresses to receive on. */
  public CollectorConfig withListen(InetSocketAddress... addresses) {
    return withListen(List.of(addresses));
  }

  /** These settings with another size and linger of batches. */
  public CollectorConfig withBatch(int maxBytes, int lingerMicros) {
    return CollectorConfigBuilder.builder(this)
        .maxBatchBytes(maxBytes)
        .lingerMicros(lingerMicros)
        .build();
  }

  private static void require(String key, long value, long least, long most, String unit) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          String.format(
              "collector.%s: %d %s is not in %d to %d %s", key, value, unit, least, most, unit));
    }
  }
}
