package io.millrace.lab.gateways;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rate;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seconds;
import io.millrace.pipelines.gateways.GatewaysConfig;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.RecordEncoding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Repeats the comparisons of the published platform for gateways: the three forms at equal rate,
 * JSON and Avro, and intervals down to the shortest stable one.
 */
public final class GatewaysBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Rate rateOption = new Rate();

  private enum Part {
    ENCODINGS,
    FORMS,
    INTERVALS
  }

  @Option(
      names = "--case",
      paramLabel = "CASE",
      description = "encodings, forms or intervals; may be repeated. All by default.")
  private List<Part> parts = List.of(Part.values());

  private static final int GATEWAYS = 10_000;
  private static final long DEFAULT_RECORDS = 4_000_000;
  private static final double DEFAULT_RATE = 200_000;
  private static final int DEFAULT_SECONDS = 8;
  private static final int WARM_UP_SECONDS = 4;
  private static final int ROUNDS = 3;
  private static final List<Duration> INTERVALS =
      List.of(
          Duration.ofMillis(100),
          Duration.ofMillis(500),
          Duration.ofSeconds(1),
          Duration.ofSeconds(2),
          Duration.ofSeconds(5));

  /** Maximum lag of a job that keeps up, in addition to an interval. */
  private static final double SLACK_MILLIS = 500;

  public GatewaysBenchmark() {
    super(
        "gateways",
        "telemetry of gateways: cost by form, encoding and interval",
        Duration.ofMinutes(3));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    if (parts.contains(Part.ENCODINGS)) {
      encodings(context);
    }
    if (parts.contains(Part.FORMS)) {
      forms(context);
    }
    if (parts.contains(Part.INTERVALS)) {
      intervals(context);
    }
  }

  private static GatewaysConfig config() {
    return GatewaysConfig.defaults().withEnabled(true);
  }

  private Figure figure(String metric, double value, String unit) {
    return Figure.of(name(), metric, value, unit);
  }

  /** Measures bytes per record, and records per second from log to table and into columns. */
  private void encodings(BenchContext context) {
    context.lines().accept("encodings; published: Avro 90 bytes per record, JSON 180");
    int rounds = rowsOption.rounds(ROUNDS);
    for (RecordEncoding encoding : RecordEncoding.values()) {
      List<Double> rates = new ArrayList<>();
      GatewayLoad load = null;
      double diskBytes = 0;
      for (int round = 0; round <= rounds; round++) {
        context.progress().accept(encoding.label() + ", round " + round + " of " + rounds);
        BenchContext own = context.within(encoding.label() + round);
        try (GatewayRun run = new GatewayRun(own.directory())) {
          load = new GatewayLoad(GATEWAYS, run.partitions(), encoding, GatewayForm.CUMULATIVE);
          run.fill(load, rowsOption.or(DEFAULT_RECORDS));
          diskBytes = (double) run.logBytes() / load.records();
          rates.add(run.runToEnd(config(), load.records()));
        }
      }
      double median =
          BenchContext.median(rates.stream().skip(1).mapToDouble(Double::doubleValue).toArray());
      double target = encoding == RecordEncoding.AVRO ? 1_000_000 : 600_000;
      context.report(
          figure("rate", median, "records")
              .with("encoding", encoding.label())
              .with("gateways", GATEWAYS)
              .with("records", load.records())
              .aiming(Figure.Target.atLeast(target)));
      context.report(
          figure("decoding_rate", load.decodingRate(), "records")
              .with("encoding", encoding.label()));
      context.report(bytes(encoding, "wire", load.wireBytes()));
      context.report(bytes(encoding, "log", load.logBytes()));
      context.report(bytes(encoding, "disk", diskBytes));
    }
  }

  private Figure bytes(RecordEncoding encoding, String where, double value) {
    return figure("bytes_per_row", value, "bytes")
        .with("encoding", encoding.label())
        .with("where", where);
  }

  /** Measures the processing time of an interval of one second, by form. */
  private void forms(BenchContext context) {
    context.lines().accept("forms; published: counter 30 to 40% cheaper than the other two");
    double rate = rateOption.or(DEFAULT_RATE);
    for (GatewayForm form : GatewayForm.values()) {
      context.progress().accept(form.label());
      GatewayRun.Outcome outcome = paced(context.within(form.label()), config(), form, rate);
      for (boolean adding : new boolean[] {false, true}) {
        context.report(
            figure("latency_ms", adding ? outcome.addingMillis() : outcome.intervalMillis(), "ms")
                .with("of", adding ? "adding up" : "an interval")
                .with("form", form.label())
                .with("interval_ms", config().interval().toMillis())
                .with("records_per_second", Math.round(rate)));
      }
    }
  }

  private GatewayRun.Outcome paced(
      BenchContext context, GatewaysConfig config, GatewayForm form, double rate) {
    try (GatewayRun run = new GatewayRun(context.directory())) {
      GatewayLoad load = new GatewayLoad(GATEWAYS, run.partitions(), RecordEncoding.AVRO, form);
      return run.runAt(config, load, rate, WARM_UP_SECONDS, secondsOption.or(DEFAULT_SECONDS));
    }
  }

  /** Measures the processing time of intervals by length, and the shortest stable one. */
  private void intervals(BenchContext context) {
    context
        .lines()
        .accept("intervals; published: shortest stable one 1 s on one partition, at 1,200/s");
    double rate = rateOption.or(DEFAULT_RATE);
    double least = Double.POSITIVE_INFINITY;
    for (Duration interval : INTERVALS) {
      long millis = interval.toMillis();
      context.progress().accept("interval of " + millis + " ms");
      GatewayRun.Outcome outcome =
          paced(
              context.within("interval" + millis),
              config().withInterval(interval),
              GatewayForm.CUMULATIVE,
              rate);
      boolean isStable =
          outcome.lagMillis() <= millis + SLACK_MILLIS
              && outcome.visibleMillis() <= 2 * millis + SLACK_MILLIS;
      least = isStable ? Math.min(least, (double) millis) : least;
      context.report(
          figure("latency_ms", outcome.intervalMillis(), "ms")
              .with("of", "an interval")
              .with("interval_ms", millis)
              .with("records_per_second", Math.round(rate))
              .with("lag_ms", rounded(outcome.lagMillis()))
              .with("visible_ms", rounded(outcome.visibleMillis()))
              .with("stable", isStable));
    }
    context.report(
        figure("least_interval_ms", least, "ms")
            .with("records_per_second", Math.round(rate))
            .aiming(Figure.Target.atMost(100)));
  }

  private static String rounded(double millis) {
    return String.format(Locale.ROOT, "%.0f", millis);
  }
}
