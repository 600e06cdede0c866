package io.millrace.lab.packets;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seconds;
import io.millrace.wire.packet.IpLayer;
import java.time.Duration;
import picocli.CommandLine.Mixin;

/**
 * Scaling of the tunnel decoder from one to two subtasks, run alternately: it reads GTP-U packets
 * in memory down to the inner headers and counts them by inner protocol. A subtask is one thread.
 * For comparison, the same loop in one and in two plain threads shows what a second core of this
 * machine gains at that time.
 */
public final class TunnelsBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seconds secondsOption = new Seconds();

  private static final long HEADER_BYTES = 300_000_000;
  private static final int SECONDS = 40;
  private static final int PERIODS = 3;
  private static final int MAX_SUBTASKS = 2;

  private static final long SEED = 1;

  public TunnelsBenchmark() {
    super("apps.scaling", "packets in GTP-U tunnels, decoded by one subtask and by two");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(15 + secondsOption.or(SECONDS) * 5 / 4);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    context.progress().accept("generating headers");
    long wanted = rowsOption.value() > 0 ? rowsOption.value() * 88 : HEADER_BYTES;
    HeaderTrace trace = new HeaderTrace(wanted, SEED, true);
    double[][] rates = new double[MAX_SUBTASKS][PERIODS];
    double[] ratios = new double[PERIODS];
    double[] plainRatios = new double[PERIODS];
    try (CountingRun engine =
        new CountingRun(context.directory(), MAX_SUBTASKS, IpLayer.INNER, true)) {
      double[] warm = new double[MAX_SUBTASKS];
      for (int subtasks = 1; subtasks <= MAX_SUBTASKS; subtasks++) {
        engine.count(trace, 1, subtasks);
        warm[subtasks - 1] = trace.packets() / engine.count(trace, 2, subtasks) * 2;
      }
      double seconds = (double) secondsOption.or(SECONDS) / PERIODS / MAX_SUBTASKS;
      for (int i = 0; i < PERIODS; i++) {
        for (int subtasks = 1; subtasks <= MAX_SUBTASKS; subtasks++) {
          context.progress().accept(subtasks == 1 ? "1 subtask" : subtasks + " subtasks");
          long rounds = Math.max(1, Math.round(seconds * warm[subtasks - 1] / trace.packets()));
          rates[subtasks - 1][i] = rounds * trace.packets() / engine.count(trace, rounds, subtasks);
        }
        ratios[i] = rates[1][i] / rates[0][i];
        context.progress().accept("plain threads");
        plainRatios[i] = plainRatio(trace, seconds * warm[0] / trace.packets() / PlainLoop.PART);
      }
    }
    for (int subtasks = 1; subtasks <= MAX_SUBTASKS; subtasks++) {
      context.report(
          Figure.of(name(), "rate", BenchContext.median(rates[subtasks - 1]), "packets")
              .with("subtasks", subtasks)
              .with("packets", trace.packets()));
    }
    context.report(
        Figure.of(name(), "ratio", BenchContext.median(ratios), "times one subtask")
            .with("subtasks", MAX_SUBTASKS)
            .with("packets", trace.packets())
            .aiming(Target.atLeast(1.7)));
    context.report(
        Figure.of(name(), "plain_ratio", BenchContext.median(plainRatios), "times one plain thread")
            .with("threads", MAX_SUBTASKS)
            .with("packets", trace.packets()));
  }

  private static double plainRatio(HeaderTrace trace, double atLeast) throws Exception {
    long rounds = Math.max(1, Math.round(atLeast));
    return PlainLoop.count(trace, IpLayer.INNER, rounds, 1)
        / PlainLoop.count(trace, IpLayer.INNER, rounds, MAX_SUBTASKS);
  }
}
