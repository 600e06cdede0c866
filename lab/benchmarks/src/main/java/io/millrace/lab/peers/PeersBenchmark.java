package io.millrace.lab.peers;

import io.millrace.lab.endtoend.DemoSets;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rate;
import io.millrace.lab.harness.Seconds;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.traffic.DatagramSource;
import io.millrace.traffic.ExporterSockets;
import io.millrace.traffic.Pace;
import io.millrace.traffic.PreparedRecords;
import io.millrace.traffic.UdpSender;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Mixin;

/**
 * Comparison of other collectors with Millrace, one at a time, at the same offered rates over
 * loopback: samples stored, and the highest lossless rate. The sender runs in this process and
 * shares the cores with each of them.
 */
public final class PeersBenchmark extends Benchmark {
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Rate rateOption = new Rate();

  private static final double[] RATES = {100_000, 200_000, 400_000, 800_000};
  private static final int SECONDS = 8;
  private static final int WARM_UP_SECONDS = 4;
  private static final double WARM_UP_RATE = 150_000;

  private static final Map<String, String> PACKAGES =
      Map.of(
          "sfcapd",
          "nfdump-sflow",
          "nfcapd",
          "nfdump",
          "nfdump",
          "nfdump",
          "sfacctd",
          "pmacct",
          "nfacctd",
          "pmacct");

  private static final String ALL = "peers";

  private static final String WHAT =
      "nfdump, pmacct and Millrace on the same datagrams; installs Debian packages as root";
  private static final Duration EACH = Duration.ofMinutes(5);

  private final List<Protocol> protocols;

  /** Creates a comparison in all protocols. */
  public PeersBenchmark() {
    super(ALL, WHAT, EACH.multipliedBy(Protocol.values().length));
    protocols = List.of(Protocol.values());
  }

  /** Creates a comparison in one protocol. */
  public PeersBenchmark(Protocol protocol) {
    super(ALL + "." + protocol.label(), WHAT, EACH);
    protocols = List.of(protocol);
  }

  @Override
  public boolean isOnRequest() {
    return true;
  }

  @Override
  public void run(BenchContext context) throws IOException {
    for (Protocol protocol : protocols) {
      run(context.within(protocol.label()), protocol);
    }
  }

  private void run(BenchContext context, Protocol protocol) throws IOException {
    DemoSets sets = DemoSets.in(context);
    int buffer = CollectorConfig.defaults().receiveBufferBytes();
    DatagramSource source = protocol.traffic(sets.pool());
    warmUp(source);
    List<Peer> peers =
        List.of(
            new NfdumpPeer(protocol.nfdump(), buffer),
            new PmacctPeer(protocol.pmacct(), buffer),
            new MillracePeer(sets.declarations(), buffer));
    for (Peer peer : peers) {
      Optional<String> missing = DebianPackages.require(programs(peer));
      if (missing.isPresent()) {
        System.err.println("millrace: " + name() + ": " + missing.get());
        context.report(figure(protocol, peer, 0).with("skipped", missing.get()));
      } else {
        measure(context, protocol, source, peer);
      }
    }
  }

  /** Required programs with their packages; none for Millrace. */
  private static Map<String, String> programs(Peer peer) {
    Map<String, String> programs = new HashMap<>();
    if (PACKAGES.containsKey(peer.name())) {
      programs.put(peer.name(), PACKAGES.get(peer.name()));
    }
    if (peer instanceof NfdumpPeer) {
      programs.put(NfdumpPeer.READER, PACKAGES.get(NfdumpPeer.READER));
    }
    return programs;
  }

  /** Warms up the code of the sender; nothing reads its datagrams. */
  private static void warmUp(DatagramSource source) throws IOException {
    try (DatagramSocket unread = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        ExporterSockets sockets = new ExporterSockets(source, loopback(unread.getLocalPort()))) {
      send(new UdpSender(source, sockets), RATES[RATES.length - 1], WARM_UP_SECONDS);
    }
  }

  private static UdpSender.Report send(UdpSender sender, double rate, int seconds)
      throws IOException {
    return sender.send(
        Pace.samplesPerSecond(rate),
        Long.MAX_VALUE,
        seconds * 1_000_000_000L,
        UdpSender.Listener.NONE);
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Measures all rates; the last figure is the highest lossless one. */
  private void measure(BenchContext context, Protocol protocol, DatagramSource source, Peer peer)
      throws IOException {
    double best = 0;
    try (peer) {
      if (peer instanceof MillracePeer) { // the others need no JIT compilation
        context.progress().accept("warming up");
        run(context, source, peer, WARM_UP_RATE);
      }
      for (double rate : rates()) {
        context.progress().accept(peer.name() + " at " + Math.round(rate) + "/s");
        Outcome outcome = run(context, source, peer, rate);
        context.report(
            figure(protocol, peer, outcome.sent.rate())
                .with("offered", Math.round(rate))
                .with("sent", outcome.sent.samples())
                .with("stored", outcome.stored)
                .with("lost", outcome.lost())
                .with("lost_percent", outcome.lostPercent())
                .with("stored_after_s", Math.round(outcome.afterSeconds * 10) / 10.0));
        if (outcome.lost() == 0) {
          best = Math.max(best, outcome.sent.rate());
        }
      }
    }
    context.report(
        new Figure(
            ALL + ".lossless",
            "rate",
            best,
            "samples",
            figure(protocol, peer, 0).with("lost", 0).with("stores", peer.stores()).params(),
            Optional.empty()));
  }

  private double[] rates() {
    return rateOption.value() > 0 ? new double[] {rateOption.value()} : RATES;
  }

  private static Figure figure(Protocol protocol, Peer peer, double rate) {
    return Figure.of(ALL, "rate", rate, "samples")
        .with("peer", peer.name())
        .with("protocol", protocol.label());
  }

  /**
   * Result of a load.
   *
   * @param stored samples that the peer has stored at the end
   * @param afterSeconds from the last datagram to the end of the count
   */
  private record Outcome(UdpSender.Report sent, long stored, double afterSeconds) {
    /** Negative if samples are stored twice. */
    long lost() {
      return sent.samples() - stored;
    }

    double lostPercent() {
      return Math.round(1000.0 * lost() / sent.samples()) / 10.0;
    }
  }

  private Outcome run(BenchContext context, DatagramSource source, Peer peer, double rate)
      throws IOException {
    Path directory = Files.createTempDirectory(context.directory(), "peer-");
    int port = peer.start(directory);
    if (source instanceof PreparedRecords records) {
      records.startAgain(); // a new collector needs the templates first
    }
    try (ExporterSockets sockets = new ExporterSockets(source, loopback(port))) {
      UdpSender.Report sent = send(new UdpSender(source, sockets), rate, secondsOption.or(SECONDS));
      long end = System.nanoTime();
      long stored = peer.stored(sent.samples());
      return new Outcome(sent, stored, (System.nanoTime() - end) / 1e9);
    } finally {
      peer.stop();
    }
  }
}
