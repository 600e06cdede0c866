package io.millrace.lab.packets;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Figure.Target;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seconds;
import io.millrace.wire.packet.IpLayer;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Rate of the product's packet counter: 2 GB of packet headers in memory, replayed for 90 s through
 * two unchained steps of the engine; each round reads every header. Alternately, the same loop runs
 * in one plain thread per core.
 */
public final class PacketsBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seconds secondsOption = new Seconds();

  @Option(
      names = "--storm",
      description = "Also measure Apache Storm, whose libraries are fetched at first use.")
  private boolean withStorm;

  private static final int STORM_SECONDS = 30;
  private static final long HEADER_BYTES = 2_000_000_000;
  private static final int SECONDS = 90;
  private static final int PERIODS = 3;

  private static final long SEED = 1;
  private static final double PUBLISHED_RATE = 9.6e6;

  /** Blocks are slightly larger than their headers, and are copied when they are built. */
  private static final double HEAP_FOR_A_BYTE = 1.6;

  public PacketsBenchmark() {
    super(
        "packets.count",
        "packet headers in memory counted by protocol and second; ratio to a plain loop");
  }

  @Override
  public Duration takes(BenchContext context) {
    int seconds = secondsOption.or(SECONDS);
    int stormSeconds = withStorm ? 30 + stormSeconds() : 0;
    return Duration.ofSeconds(20 + seconds + seconds / PlainLoop.PART + stormSeconds);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    context
        .lines()
        .accept(
            "published, for 90 s on four cores of 3.1 GHz, the first 2 GB of a real trace: 9.6 M"
                + " packets/s, 31.4 Gbit/s; Blockmon 2.7 M, Storm 0.26 M");
    context.progress().accept("generating headers");
    HeaderTrace trace = new HeaderTrace(headerBytes(context), SEED);
    int cores = Runtime.getRuntime().availableProcessors();
    int seconds = secondsOption.or(SECONDS);
    double[] rates = new double[PERIODS];
    double[] plainRates = new double[PERIODS];
    double[] ratios = new double[PERIODS];
    try (CountingRun engine = new CountingRun(context.directory(), cores, IpLayer.OUTER, false)) {
      double plain = trace.packets() / PlainLoop.count(trace, IpLayer.OUTER, 1, cores);
      double counted = trace.packets() / engine.count(trace, 1, cores); // both warm up
      plain = Math.max(plain, trace.packets() / PlainLoop.count(trace, IpLayer.OUTER, 1, cores));
      counted = Math.max(counted, trace.packets() / engine.count(trace, 1, cores));
      for (int i = 0; i < PERIODS; i++) {
        long plainRounds = rounds(trace, plain, (double) seconds / PERIODS / PlainLoop.PART);
        plainRates[i] =
            plainRounds
                * trace.packets()
                / PlainLoop.count(trace, IpLayer.OUTER, plainRounds, cores);
        context.progress().accept(told("plain threads", plainRates[i]));
        long rounds = rounds(trace, counted, (double) seconds / PERIODS);
        rates[i] = rounds * trace.packets() / engine.count(trace, rounds, cores);
        ratios[i] = rates[i] / plainRates[i];
        context.progress().accept(told("the engine", rates[i]));
      }
    }
    double rate = BenchContext.median(rates);
    report(context, trace, "rate", rate, "packets", Target.atLeast(30e6));
    report(context, trace, "ratio", BenchContext.median(ratios), "of plain", Target.atLeast(0.7));
    double bitsAPacket = 8.0 * trace.truth().bytes() / trace.packets();
    context.report(figure(trace, "gbit_per_second", rate * bitsAPacket / 1e9, "Gbit/s"));
    context.report(figure(trace, "plain_rate", BenchContext.median(plainRates), "packets"));
    context.report(figure(trace, "to_published", rate / PUBLISHED_RATE, "times"));
    if (withStorm) {
      context.progress().accept("Apache Storm");
      double storm =
          StormPackets.rate(trace, context.directory().resolve("storm"), cores, stormSeconds());
      context.report(figure(trace, "storm_rate", storm, "packets"));
      context.report(figure(trace, "to_storm", rate / storm, "times"));
    }
  }

  private int stormSeconds() {
    return Math.min(STORM_SECONDS, secondsOption.or(STORM_SECONDS));
  }

  /** The requested or default size, as far as it fits; {@code --rows} is in packets. */
  private long headerBytes(BenchContext context) {
    long wanted = rowsOption.value() > 0 ? rowsOption.value() * 52 : HEADER_BYTES;
    long fits = (long) (Runtime.getRuntime().maxMemory() / HEAP_FOR_A_BYTE);
    if (wanted > fits) {
      context
          .lines()
          .accept("only " + fits / 1_000_000 + " MB of headers fit into the heap; enlarge it");
    }
    return Math.min(wanted, fits);
  }

  private static long rounds(HeaderTrace trace, double rate, double seconds) {
    return Math.max(1, Math.round(seconds * rate / trace.packets()));
  }

  private static String told(String who, double rate) {
    return String.format(Locale.ROOT, "%s: %.1f M packets/s", who, rate / 1e6);
  }

  private void report(
      BenchContext context,
      HeaderTrace trace,
      String metric,
      double value,
      String unit,
      Target to) {
    context.report(figure(trace, metric, value, unit).aiming(to));
  }

  private Figure figure(HeaderTrace trace, String metric, double value, String unit) {
    return Figure.of(name(), metric, value, unit)
        .with("source", "memory")
        .with("packets", trace.packets())
        .with("header_bytes", trace.headerBytes())
        .with("mean_length", Math.round((double) trace.truth().bytes() / trace.packets()))
        .with("cores", Runtime.getRuntime().availableProcessors());
  }
}
