package io.millrace.lab.endtoend;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rate;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.siege.SqlAttack;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.traffic.UdpSender;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * From the wire to SQL in one process, including the sender: the highest lossless rate, and at half
 * of it the latency from a datagram's scheduled transmission until its rows are visible.
 */
public final class FlowsUdpBenchmark extends Benchmark {
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Rate rateOption = new Rate();

  @Option(
      names = "--cold",
      description = "Measure latency from the process's first datagram on, without warm-up.")
  private boolean isCold;

  @Option(
      names = "--hostile-sql",
      description = "Measure latency again while a client sends hostile SQL, as in siege.")
  private boolean isHostile;

  private static final int FULL_SECONDS = 15;
  private static final int PROBE_SECONDS = 5;
  private static final double START_RATE = 150_000;
  private static final double STEP = 100_000;
  private static final double STEP_BACK = STEP / 4;
  private static final double MAX_RATE = 600_000;
  private static final Figure.Target TARGET = Figure.Target.atLeast(400_000);
  private static final String NOTHING = "nothing";
  private static final String HOSTILE = "hostile SQL";
  private static final Figure.Target HOSTILE_TARGET = Figure.Target.atMost(2);

  public FlowsUdpBenchmark() {
    super(
        "flows.udp",
        "flows.udp: highest lossless rate over UDP; flows.latency: sent to visible at half of it");
  }

  @Override
  public List<String> figures() {
    return List.of("flows.udp", "flows.latency");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(
        12L * PROBE_SECONDS
            + ((rateOption.value() > 0 ? 1L : 4L) + (isHostile ? 2 : 0))
                * secondsOption.or(FULL_SECONDS));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    try (UdpRun run =
        new UdpRun(context, CollectorConfig.defaults(), secondsOption.or(FULL_SECONDS))) {
      double asked = isCold ? 2 * rateOption.or(START_RATE) : rateOption.value() * 2;
      if (!isCold) {
        context.progress().accept("warming up");
        int warmUp = 2 * Math.min(PROBE_SECONDS, secondsOption.or(FULL_SECONDS));
        run.send(asked > 0 ? asked : START_RATE, warmUp, UdpSender.Listener.NONE);
      }
      double rate = asked > 0 ? asked : highestRate(context, run);
      context.progress().accept("latency at " + Math.round(rate / 2) + " samples/s");
      double quiet = latency(context, run, rate / 2, NOTHING);
      if (isHostile) {
        context.progress().accept("the same beside hostile SQL, and without it again");
        hostile(context, run, rate / 2, quiet);
      }
    }
  }

  private void hostile(BenchContext context, UdpRun run, double rate, double before)
      throws IOException {
    double hostile;
    long queries;
    try (SqlAttack attack = run.sqlAttack()) {
      hostile = latency(context, run, rate, HOSTILE);
      queries = attack.queries();
    }
    // The process has compiled more of its code than in the first measurement.
    double quiet = Math.min(before, latency(context, run, rate, NOTHING + ", again"));
    context.report(
        Figure.of("flows.latency", "p99_ratio", hostile / quiet, "times")
            .with("samples_per_second", Math.round(rate))
            .with("seconds", secondsOption.or(FULL_SECONDS))
            .with("beside", HOSTILE)
            .with("queries", queries)
            .aiming(HOSTILE_TARGET));
  }

  private double highestRate(BenchContext context, UdpRun run) throws IOException {
    int seconds = secondsOption.or(FULL_SECONDS);
    double best = 0;
    for (double rate = START_RATE; rate <= MAX_RATE; rate += STEP) {
      context.progress().accept("probing " + Math.round(rate) + " samples/s");
      if (!run.send(rate, Math.min(PROBE_SECONDS, seconds), UdpSender.Listener.NONE).isLossless()) {
        break;
      }
      best = rate;
    }
    for (; best > 0; best -= STEP_BACK) {
      context.progress().accept(Math.round(best) + " samples/s for " + seconds + " s");
      UdpRun.Outcome outcome = run.send(best, seconds, UdpSender.Listener.NONE);
      if (outcome.isLossless()) {
        context.report(
            Figure.of("flows.udp", "rate", outcome.sent().rate(), "samples")
                .with("seconds", seconds)
                .with("exporters", UdpRun.EXPORTERS)
                .with("lost", 0)
                .with("sender", "same process")
                .aiming(TARGET));
        return best;
      }
    }
    context.report(
        Figure.of("flows.udp", "rate", 0, "samples")
            .with("seconds", seconds)
            .with("exporters", UdpRun.EXPORTERS)
            .with("lossy_from", Math.round(START_RATE))
            .aiming(TARGET));
    return START_RATE;
  }

  /** Returns p99. */
  private double latency(BenchContext context, UdpRun run, double rate, String beside)
      throws IOException {
    int seconds = secondsOption.or(FULL_SECONDS);
    VisibilityProbe probe = run.probe();
    UdpRun.Outcome outcome = run.send(rate, seconds, probe);
    VisibilityProbe.Latencies latencies = probe.finish();
    String[] names = {"p50_ms", "p99_ms", "max_ms"};
    double[] values = {latencies.p50Millis(), latencies.p99Millis(), latencies.maxMillis()};
    double[] targets = {isCold ? 150 : 100, isCold ? 500 : 300, Double.MAX_VALUE};
    for (int i = 0; i < names.length; i++) {
      Figure figure =
          Figure.of("flows.latency", names[i], values[i], "ms")
              .with("samples_per_second", Math.round(outcome.sent().rate()))
              .with("seconds", seconds)
              .with("cold", isCold)
              .with("beside", beside)
              .with("lost", outcome.lost())
              .with("datagrams", latencies.datagrams());
      context.report(
          !beside.equals(NOTHING) || targets[i] == Double.MAX_VALUE
              ? figure
              : figure.aiming(Figure.Target.atMost(targets[i])));
    }
    return latencies.p99Millis();
  }
}
