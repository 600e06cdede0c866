package io.millrace.bench.endtoend;

import io.millrace.bench.BenchContext;
import io.millrace.bench.Benchmark;
import io.millrace.bench.Figure;
import io.millrace.bench.traffic.ExporterSockets;
import io.millrace.bench.traffic.Pace;
import io.millrace.bench.traffic.PreparedTraffic;
import io.millrace.bench.traffic.TrafficConfig;
import io.millrace.bench.traffic.TrafficGenerator;
import io.millrace.bench.traffic.UdpSender;
import io.millrace.server.collect.LossLedger;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * From the wire to SQL, everything in one process, the sender too: the highest rate at which
 * nothing is lost, and at half of it the time from a datagram's scheduled sending to its rows'
 * being visible.
 */
public final class FlowsUdpBenchmark implements Benchmark {
  private static final int EXPORTERS = 4;
  private static final int PREPARED = 100_000;
  private static final int FULL_SECONDS = 30;
  private static final int PROBE_SECONDS = 8;
  private static final double START_RATE = 150_000;
  private static final double STEP = 50_000;
  private static final double MAX_RATE = 600_000;
  private static final Figure.Target TARGET = Figure.Target.atLeast(250_000);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Override
  public String name() {
    return "flows.udp";
  }

  @Override
  public List<String> figures() {
    return List.of("flows.udp", "flows.latency");
  }

  @Override
  public String what() {
    return "flows.udp: highest lossless rate over UDP; flows.latency: sending to visible at half of it";
  }

  @Override
  public void run(BenchContext context) throws Exception {
    DemoSets sets = DemoSets.in(context);
    MillraceConfig defaults = MillraceConfig.defaults();
    MillraceConfig config =
        defaults
            .withData(context.directory().resolve("data"))
            .withDatasets(sets.declarations())
            .withHttp(defaults.http().withPort(0))
            .withCollector(
                defaults
                    .collector()
                    .withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    TrafficConfig traffic =
        TrafficConfig.defaults(1, System.currentTimeMillis() * 1_000)
            .withoutRhythm()
            .withExporters(TrafficConfig.Exporters.DEFAULT.withCount(EXPORTERS));
    PreparedTraffic source =
        new PreparedTraffic(new TrafficGenerator(traffic, sets.pool()), PREPARED);
    try (Millrace millrace = new Millrace(config)) {
      millrace.start();
      try (ExporterSockets sockets =
          new ExporterSockets(
              source,
              new InetSocketAddress(InetAddress.getLoopbackAddress(), millrace.udpPort()))) {
        UdpSender sender = new UdpSender(source, sockets);
        context.progress().accept("warming up");
        send(millrace, sender, START_RATE, 2 * PROBE_SECONDS, UdpSender.Listener.NONE);
        double rate =
            context.samplesPerSecond() > 0
                ? context.samplesPerSecond() * 2
                : highestRate(context, millrace, sender);
        context.progress().accept("latency at " + Math.round(rate / 2) + " samples/s");
        latency(context, millrace, sender, rate / 2);
      }
    }
  }

  private double highestRate(BenchContext context, Millrace millrace, UdpSender sender)
      throws IOException {
    int seconds = context.secondsOr(FULL_SECONDS);
    double best = 0;
    for (double rate = START_RATE; rate <= MAX_RATE; rate += STEP) {
      context.progress().accept("probing " + Math.round(rate) + " samples/s");
      if (!send(millrace, sender, rate, Math.min(PROBE_SECONDS, seconds), UdpSender.Listener.NONE)
          .isLossless()) {
        break;
      }
      best = rate;
    }
    for (; best > 0; best -= STEP / 2) {
      context.progress().accept(Math.round(best) + " samples/s for " + seconds + " s");
      Outcome outcome = send(millrace, sender, best, seconds, UdpSender.Listener.NONE);
      if (outcome.isLossless()) {
        context.report(
            Figure.of("flows.udp", "rate", outcome.sent().rate(), "samples")
                .with("seconds", seconds)
                .with("exporters", EXPORTERS)
                .with("lost", 0)
                .with("sender", "same process")
                .aiming(TARGET));
        return best;
      }
    }
    context.report(
        Figure.of("flows.udp", "rate", 0, "samples")
            .with("seconds", seconds)
            .with("exporters", EXPORTERS)
            .with("lossy_from", Math.round(START_RATE))
            .aiming(TARGET));
    return START_RATE;
  }

  /**
   * How a stretch went.
   *
   * @param lost datagrams by the ledger, within the stretch
   * @param missingRows samples sent less rows stored
   * @param drained whether everything else was stored in time
   * @param isPaced whether the sender kept its rate
   */
  private record Outcome(
      UdpSender.Report sent, long lost, long missingRows, boolean drained, boolean isPaced) {
    boolean isLossless() {
      return lost == 0 && missingRows == 0 && drained && isPaced;
    }
  }

  private static Outcome send(
      Millrace millrace, UdpSender sender, double rate, int seconds, UdpSender.Listener listener)
      throws IOException {
    long lostBefore = lost(millrace);
    long rowsBefore = millrace.table().rows();
    UdpSender.Report report =
        sender.send(
            Pace.samplesPerSecond(rate), Long.MAX_VALUE, seconds * 1_000_000_000L, listener);
    boolean drained = millrace.awaitDrained(PATIENCE);
    return new Outcome(
        report,
        lost(millrace) - lostBefore,
        report.samples() - (millrace.table().rows() - rowsBefore),
        drained,
        report.rate() > rate * 0.98);
  }

  private static long lost(Millrace millrace) {
    LossLedger.Report ledger = millrace.ledger();
    return ledger.kernelDropsOpen()
        + ledger.exporters().stream().mapToLong(LossLedger.Entry::lost).sum();
  }

  private void latency(BenchContext context, Millrace millrace, UdpSender sender, double rate)
      throws IOException {
    int seconds = context.secondsOr(FULL_SECONDS);
    VisibilityProbe probe = new VisibilityProbe(millrace);
    probe.start();
    Outcome outcome = send(millrace, sender, rate, seconds, probe);
    VisibilityProbe.Latencies latencies = probe.finish();
    String[] names = {"p50_ms", "p99_ms", "max_ms"};
    double[] values = {latencies.p50Millis(), latencies.p99Millis(), latencies.maxMillis()};
    double[] targets = {200, 1_000, Double.MAX_VALUE};
    for (int i = 0; i < names.length; i++) {
      Figure figure =
          Figure.of("flows.latency", names[i], values[i], "ms")
              .with("samples_per_second", Math.round(outcome.sent().rate()))
              .with("seconds", seconds)
              .with("lost", outcome.lost())
              .with("datagrams", latencies.datagrams());
      context.report(
          targets[i] == Double.MAX_VALUE
              ? figure
              : figure.aiming(Figure.Target.atMost(targets[i])));
    }
  }
}
