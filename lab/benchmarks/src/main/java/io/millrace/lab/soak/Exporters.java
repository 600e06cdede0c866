package io.millrace.lab.soak;

import io.millrace.traffic.DatagramSource;
import io.millrace.traffic.DemoData;
import io.millrace.traffic.EqualDatagrams;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.ExporterSockets;
import io.millrace.traffic.MixedTraffic;
import io.millrace.traffic.Pace;
import io.millrace.traffic.PreparedRecords;
import io.millrace.traffic.PreparedTraffic;
import io.millrace.traffic.RecordTraffic;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.UdpSender;
import io.millrace.traffic.Wire;
import io.millrace.traffic.model.RangeAddressPool;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.ExportProtocol;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/**
 * Two exporters for each of some protocols, and counts of what they sent. All datagrams of a
 * protocol have the same number of records (those with templates have none), so that stored rows
 * can be compared with stored datagrams.
 */
public final class Exporters implements AutoCloseable {
  /** Maximum number of records per datagram. */
  public static final int RECORDS = 14;

  private static final int EXPORTERS = 2; // per protocol
  private static final int PREPARED = 2_000;
  private static final int SFLOW_SAMPLES = 7;

  private static final int FIRST_ADDRESS = 0x7F00_010B; // 127.0.1.11; other protocols' in 127.0.2
  private static final int NEXT_PROTOCOL = 0x100;

  /** High, so that a ring spans less time than the step of an uptime that shows a restart. */
  private static final double MODEL_RATE = 100_000;

  /** All protocols of exporters. */
  static final List<ExportProtocol> ALL =
      List.of(
          ExportProtocol.SFLOW,
          ExportProtocol.NETFLOW5,
          ExportProtocol.NETFLOW9,
          ExportProtocol.IPFIX);

  /**
   * Counts of an exporter's datagrams.
   *
   * @param address source address, as text
   * @param recordsEach records in each datagram that has any
   * @param datagrams datagrams sent
   * @param withoutRecords of these, those with templates only
   */
  public record Truth(
      ExportProtocol protocol,
      String address,
      int recordsEach,
      long datagrams,
      long withoutRecords) {
    /** Records sent. */
    public long records() {
      return (datagrams - withoutRecords) * recordsEach;
    }

    /** Whether its sequence numbers count datagrams. */
    boolean countsDatagrams() {
      return protocol == ExportProtocol.SFLOW || protocol == ExportProtocol.NETFLOW9;
    }
  }

  private final List<ExportProtocol> protocols;
  private final MixedTraffic traffic;
  private final ExporterSockets sockets;
  private final UdpSender sender;
  private final long[] datagrams;
  private final long[] withoutRecords;
  private final AtomicLong sent = new AtomicLong();

  /**
   * Creates exporters, two per protocol, that have sent nothing yet.
   *
   * @param wire wraps their sockets
   */
  public Exporters(
      InetSocketAddress collector,
      List<ExportProtocol> protocols,
      long seed,
      UnaryOperator<Wire> wire)
      throws IOException {
    this.protocols = List.copyOf(protocols);
    List<DatagramSource> sources = new ArrayList<>();
    RangeAddressPool pool = DemoData.pool();
    for (ExportProtocol protocol : protocols) {
      sources.add(source(protocol, pool, seed));
    }
    traffic = new MixedTraffic(sources);
    sockets = new ExporterSockets(traffic, collector);
    sender = new UdpSender(traffic, wire.apply(sockets));
    datagrams = new long[traffic.exporters()];
    withoutRecords = new long[traffic.exporters()];
  }

  private static DatagramSource source(ExportProtocol protocol, RangeAddressPool pool, long seed) {
    TrafficConfig.Exporters defaults = TrafficConfig.Exporters.DEFAULT;
    TrafficConfig.Exporters exporters =
        new TrafficConfig.Exporters(
            EXPORTERS,
            FIRST_ADDRESS + ALL.indexOf(protocol) * NEXT_PROTOCOL,
            defaults.portsPerSwitch(),
            RecordTraffic.V5_MAX_RATE,
            SFLOW_SAMPLES,
            defaults.maxDatagramBytes(),
            defaults.headerBytes(),
            defaults.switchRecords(),
            0);
    TrafficGenerator packets =
        new TrafficGenerator(
            TrafficConfig.defaults(seed, System.currentTimeMillis() * 1_000)
                .withSamplesPerSecond(MODEL_RATE)
                .withoutRhythm()
                .withExporters(exporters),
            pool);
    if (protocol == ExportProtocol.SFLOW) {
      return new PreparedTraffic(new EqualDatagrams(packets, SFLOW_SAMPLES, false), PREPARED);
    }
    int version =
        switch (protocol) {
          case NETFLOW5 -> 5;
          case NETFLOW9 -> 9;
          default -> 10;
        };
    RecordTraffic records = new RecordTraffic(packets, version, RecordTraffic.V5_MAX_RATE);
    return new PreparedRecords(new EqualDatagrams(records, RECORDS, true), PREPARED);
  }

  /** Sends at the pace until stopped, and notifies the listener of each datagram. */
  public void send(Pace pace, UdpSender.Listener listener) throws IOException {
    sender.send(
        pace,
        Long.MAX_VALUE,
        Long.MAX_VALUE,
        (datagram, dueNanos, sentNanos) -> {
          count(datagram);
          listener.sent(datagram, dueNanos, sentNanos);
        });
  }

  /** Stops sending permanently. */
  public void stop() {
    sender.stop();
  }

  private void count(ExportDatagram datagram) {
    datagrams[datagram.exporter()]++;
    if (datagram.samples() == 0) {
      withoutRecords[datagram.exporter()]++;
    }
    sent.incrementAndGet();
  }

  /** Source addresses, as text. */
  public List<String> addresses() {
    List<String> addresses = new ArrayList<>();
    for (int i = 0; i < traffic.exporters(); i++) {
      addresses.add(sockets.address(i).getHostAddress());
    }
    return addresses;
  }

  /** Datagrams sent so far; from any thread. */
  long sent() {
    return sent.get();
  }

  /** Counts of each exporter; valid when the sender has stopped. */
  public List<Truth> truth() {
    List<Truth> truth = new ArrayList<>();
    for (int i = 0; i < datagrams.length; i++) {
      ExportProtocol protocol = protocols.get(traffic.sourceOf(i));
      byte[] address = sockets.address(i).getAddress();
      int word = ByteBuffer.wrap(address).getInt();
      truth.add(
          new Truth(
              protocol,
              Addresses.toText(0, Addresses.v4Low(word)),
              protocol == ExportProtocol.SFLOW ? SFLOW_SAMPLES : RECORDS,
              datagrams[i],
              withoutRecords[i]));
    }
    return truth;
  }

  @Override
  public void close() throws IOException {
    sockets.close();
  }
}
