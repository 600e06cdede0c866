package io.millrace.lab.endtoend;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rate;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.traffic.LogFiller;
import io.millrace.traffic.UdpSender;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * Effect of the publisher's batch size on the rate at which the job reads the log and, at a
 * moderate rate, on the latency, since a datagram waits for its batch to fill.
 *
 * <p>A message is a datagram.
 */
public final class FlowsBatchBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Rate rateOption = new Rate();

  @Option(
      names = "--batch",
      paramLabel = "N",
      converter = Messages.class,
      description = "Messages per batch, in place of the default sizes; may be repeated.")
  private List<Integer> batches = MESSAGES;

  static final class Messages implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      int messages = text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : 0;
      if (messages < 1 || messages > MAX_MESSAGES) {
        throw new TypeConversionException(text + " is out of range, expected 1 to " + MAX_MESSAGES);
      }
      return messages;
    }
  }

  /** Most messages of a batch that fit into the largest value of the log. */
  public static final int MAX_MESSAGES = 6400;

  private static final List<Integer> MESSAGES =
      List.of(100, 200, 400, 800, 1600, 3200, MAX_MESSAGES);
  private static final long DEFAULT_ROWS = 1_000_000;
  private static final double DEFAULT_RATE = 60_000;
  private static final int DEFAULT_SECONDS = 4;
  private static final int WARM_UP_SECONDS = 2;
  private static final int EXPORTERS = UdpRun.EXPORTERS;

  /** Long enough that only its size closes a batch. */
  private static final int LINGER_MICROS = 1_000_000;

  public FlowsBatchBenchmark() {
    super(
        "flows.batch",
        "messages per second, and latency at a fixed rate, by size of the publisher's batches",
        Duration.ofMinutes(3));
  }

  @Override
  public void run(BenchContext context) throws Exception {
    for (int messages : batches) {
      BenchContext own = context.within("batch" + messages);
      context.progress().accept("batches of " + messages + ": rate");
      double batchBytes = rate(own, messages);
      context.progress().accept("batches of " + messages + ": latency");
      latency(own, messages, batchBytes);
    }
  }

  /** Reports the rate through log and job, and returns the bytes per batch. */
  private double rate(BenchContext context, int messages) throws IOException {
    try (PipelineRun pipeline = new PipelineRun(context.within("log"))) {
      pipeline.fill(
          rowsOption.or(DEFAULT_ROWS), EXPORTERS, source -> LogFiller.byCount(source, messages));
      double rows = pipeline.run().rate();
      double samplesPerMessage = (double) pipeline.samples() / pipeline.truth().datagrams();
      double batchBytes = (double) pipeline.valueBytes() / pipeline.truth().datagrams() * messages;
      context.report(
          Figure.of(name(), "rate", rows / samplesPerMessage, "messages")
              .with("batch", messages)
              .with("batch_rows", Math.round(messages * samplesPerMessage))
              .with("batch_bytes", Math.round(batchBytes))
              .with("rows_per_second", Math.round(rows))
              .with("rows", pipeline.samples()));
      return batchBytes;
    }
  }

  private void latency(BenchContext context, int messages, double batchBytes) throws IOException {
    double rate = rateOption.or(DEFAULT_RATE);
    int seconds = secondsOption.or(DEFAULT_SECONDS);
    CollectorConfig collector =
        CollectorConfig.defaults().withBatch((int) Math.round(batchBytes), LINGER_MICROS);
    try (UdpRun run = new UdpRun(context.within("udp"), collector, seconds)) {
      run.send(rate, WARM_UP_SECONDS, UdpSender.Listener.NONE);
      VisibilityProbe probe = run.probe();
      UdpRun.Outcome outcome = run.send(rate, seconds, probe);
      VisibilityProbe.Latencies latencies = probe.finish();
      WrongResultException.check("datagrams lost", 0, outcome.lost());
      report(context, "p50_ms", latencies.p50Millis(), messages, outcome);
      report(context, "p99_ms", latencies.p99Millis(), messages, outcome);
    }
  }

  private void report(
      BenchContext context, String metric, double millis, int messages, UdpRun.Outcome outcome) {
    context.report(
        Figure.of(name(), metric, millis, "ms")
            .with("batch", messages)
            .with("samples_per_second", Math.round(outcome.sent().rate())));
  }
}
