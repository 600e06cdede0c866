package io.millrace.lab.endtoend;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.siege.SqlAttack;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.server.collect.LossLedger;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.traffic.DatagramSource;
import io.millrace.traffic.ExporterSockets;
import io.millrace.traffic.Pace;
import io.millrace.traffic.PreparedRecords;
import io.millrace.traffic.PreparedTraffic;
import io.millrace.traffic.RecordTraffic;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.UdpSender;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.netflow.NetflowLayout;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.function.BiFunction;

/** A complete Millrace instance in this process and a sender over loopback. */
final class UdpRun implements AutoCloseable {
  /** Each exporter has its own address. */
  static final int EXPORTERS = 4;

  /** Pregenerated datagrams; fewer in runs too short for a meaningful rate. */
  private static final int PREPARED = 100_000;

  private static final int FEW_PREPARED = 5_000;
  private static final int SHORT_SECONDS = 2;

  /** High, so that the times of a ring of records step back by little. */
  private static final double RECORDS_A_SECOND = 4_000_000;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Millrace millrace;
  private final ExporterSockets sockets;
  private final UdpSender sender;

  /** Starts an instance with these collector settings for sFlow runs of the given length. */
  UdpRun(BenchContext context, CollectorConfig collector, int seconds) throws IOException {
    this(context, MillraceConfig.defaults().withSection(collector), seconds, UdpRun::sflow);
  }

  /** Starts an instance with these settings and a sender of NetFlow version 9. */
  static UdpRun ofRecords(BenchContext context, MillraceConfig settings, int seconds)
      throws IOException {
    return new UdpRun(context, settings, seconds, UdpRun::netflow9);
  }

  private UdpRun(
      BenchContext context,
      MillraceConfig settings,
      int seconds,
      BiFunction<DemoSets, Integer, DatagramSource> traffic)
      throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    DemoSets sets = DemoSets.in(context);
    MillraceConfig config =
        settings
            .withData(context.directory().resolve("data"))
            .withDatasets(sets.declarations())
            .withSection(settings.http().withPort(0))
            .withSection(settings.flight().withoutListening())
            .withSection(settings.collector().withListen(new InetSocketAddress(loopback, 0)));
    boolean isShort = seconds <= SHORT_SECONDS;
    DatagramSource source = traffic.apply(sets, isShort ? FEW_PREPARED : PREPARED);
    millrace = new Millrace(config);
    try {
      millrace.start();
      sockets = new ExporterSockets(source, new InetSocketAddress(loopback, millrace.udpPort()));
    } catch (IOException | RuntimeException e) {
      millrace.close();
      throw e;
    }
    sender = new UdpSender(source, sockets);
  }

  private static DatagramSource sflow(DemoSets sets, int prepared) {
    TrafficConfig traffic = TrafficConfig.steady(EXPORTERS);
    return new PreparedTraffic(new TrafficGenerator(traffic, sets.pool()), prepared);
  }

  private static DatagramSource netflow9(DemoSets sets, int prepared) {
    TrafficConfig traffic = TrafficConfig.steady(EXPORTERS).withSamplesPerSecond(RECORDS_A_SECOND);
    TrafficGenerator packets = new TrafficGenerator(traffic, sets.pool());
    return new PreparedRecords(
        new RecordTraffic(packets, NetflowLayout.VERSION_9, traffic.exporters().samplingRate()),
        prepared);
  }

  Millrace millrace() {
    return millrace;
  }

  UdpSender sender() {
    return sender;
  }

  /** Starts a client that sends hostile SQL. */
  SqlAttack sqlAttack() throws IOException {
    InetSocketAddress udp =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), millrace.udpPort());
    return new SqlAttack(udp, URI.create(millrace.url()).getPort());
  }

  /** Starts a probe for a single {@link #send}. */
  VisibilityProbe probe() {
    VisibilityProbe probe = new VisibilityProbe(millrace);
    probe.start();
    return probe;
  }

  /**
   * Result of {@link UdpRun#send}.
   *
   * @param lost datagrams lost meanwhile, by the ledger
   * @param missingRows samples sent minus rows stored
   * @param drained whether everything else was stored in time
   * @param isPaced whether the sender kept its rate
   */
  record Outcome(
      UdpSender.Report sent, long lost, long missingRows, boolean drained, boolean isPaced) {
    boolean isLossless() {
      return lost == 0 && missingRows == 0 && drained && isPaced;
    }
  }

  /** Sends at a rate in samples per second, and waits until everything is stored. */
  Outcome send(double rate, int seconds, UdpSender.Listener listener) throws IOException {
    long lostBefore = lost();
    long rowsBefore = millrace.table().rows();
    UdpSender.Report report =
        sender.send(
            Pace.samplesPerSecond(rate), Long.MAX_VALUE, seconds * 1_000_000_000L, listener);
    boolean drained = millrace.awaitDrained(PATIENCE);
    return new Outcome(
        report,
        lost() - lostBefore,
        report.samples() - (millrace.table().rows() - rowsBefore),
        drained,
        report.rate() > rate * 0.98);
  }

  private long lost() {
    LossLedger.Report ledger = millrace.ledger();
    return ledger.kernelDropsOpen()
        + ledger.exporters().stream().mapToLong(LossLedger.Entry::lost).sum();
  }

  @Override
  public void close() throws IOException {
    try (millrace) {
      sockets.close();
    }
  }
}
