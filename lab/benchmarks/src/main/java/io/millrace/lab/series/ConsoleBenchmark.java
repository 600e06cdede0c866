package io.millrace.lab.series;

import io.millrace.engine.log.LogConfig;
import io.millrace.lab.endtoend.DemoSets;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Rate;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.recovery.PacedLoad;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.traffic.PreparedTraffic;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.model.TrafficConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Mixin;

/**
 * Measures the latency of each query of the console's pages, while flows are stored from the log at
 * half the highest rate. A whole Millrace instance and an HTTP client run in this process.
 */
public final class ConsoleBenchmark extends Benchmark {
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Rate rateOption = new Rate();

  /** Half the rate of {@code flows.log} with the same number of exporters. */
  private static final double RATE = 200_000;

  private static final int EXPORTERS = 4;
  private static final int PREPARED = 100_000;
  private static final int WARM_SECONDS = 20;
  private static final int SECONDS = 60;

  public ConsoleBenchmark() {
    super(
        "console",
        "queries of each page's first paint over HTTP, with flows at half the highest rate");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(30L + WARM_SECONDS + secondsOption.or(SECONDS));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    DemoSets sets = DemoSets.in(context);
    PreparedTraffic traffic =
        new PreparedTraffic(
            new TrafficGenerator(TrafficConfig.steady(EXPORTERS), sets.pool()), PREPARED);
    try (Millrace millrace = new Millrace(config(context, sets))) {
      millrace.start();
      try (PacedLoad load =
          new PacedLoad(traffic, millrace.bootstrapServers(), LogConfig.defaults())) {
        double rate = rateOption.or(RATE);
        load.rate(rate);
        load.start();
        context.progress().accept("sending " + Math.round(rate) + " flows per second");
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(WARM_SECONDS));
        PageAnswers answers = PageAnswers.ask(context, millrace, secondsOption.or(SECONDS));
        answers.report(context, name(), rate, millrace.table().rows());
      }
    }
  }

  private static MillraceConfig config(BenchContext context, DemoSets sets) {
    return alone(context).withDatasets(sets.declarations());
  }

  /** Returns the configuration of an instance without senders. */
  static MillraceConfig alone(BenchContext context) {
    MillraceConfig defaults = MillraceConfig.defaults();
    return defaults
        .withData(context.directory().resolve("data"))
        .withSection(defaults.http().withPort(0))
        .withSection(defaults.flight().withoutListening())
        .withSection(
            defaults
                .collector()
                .withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
  }
}
