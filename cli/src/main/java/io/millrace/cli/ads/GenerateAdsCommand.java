package io.millrace.cli.ads;

import io.millrace.cli.console.TraceOptions;
import io.millrace.cli.console.UsageException;
import io.millrace.traffic.ads.AdTrace;
import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "ads",
    description = {
      "Write events of the published advertisement benchmark: events.ndjson has one JSON object "
          + "a line, campaigns.redis the 100 campaigns and their 1,000 ads as redis-cli "
          + "commands. A third of the events are views. The same options produce the same "
          + "files."
    })
public final class GenerateAdsCommand implements Callable<Integer> {
  private static final long MAX_EVENTS = 1_000_000_000;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "DIRECTORY", description = "Output directory, created if missing.")
  private Path directory;

  @Option(
      names = "--events",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Number of events, 1 to 1,000,000,000; 100000 by default.")
  private long events;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Events per second of event time; 1000 by default.")
  private double rate;

  @Option(names = "--skewed", description = "Choose campaigns by Zipf's law instead of uniformly.")
  private boolean isSkewed;

  @Option(
      names = "--disorder",
      description =
          "Times that are up to 50 ms off, and one event in 100,000 up to a minute late, as in "
              + "the benchmark.")
  private boolean isDisordered;

  @Mixin private TraceOptions traceOptions;

  @Override
  public Integer call() throws IOException {
    AdTrace trace;
    try {
      TraceOptions.require("--events", events, MAX_EVENTS);
      long first = traceOptions.start().toEpochMilli();
      trace = new AdTrace(first, rate, isSkewed, isDisordered, traceOptions.seed());
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
    Files.createDirectories(directory);
    writeCampaigns(trace);
    long views = writeEvents(trace);
    spec.commandLine()
        .getErr()
        .printf("millrace: %d events, %d of them views, in %s%n", events, views, directory);
    return 0;
  }

  private void writeCampaigns(AdTrace trace) throws IOException {
    try (BufferedWriter out =
        Files.newBufferedWriter(directory.resolve("campaigns.redis"), StandardCharsets.US_ASCII)) {
      for (Map.Entry<String, List<String>> campaign : trace.ads().entrySet()) {
        out.write("SADD campaigns " + campaign.getKey() + '\n');
        for (String ad : campaign.getValue()) {
          out.write("SET " + ad + ' ' + campaign.getKey() + '\n');
        }
      }
    }
  }

  private long writeEvents(AdTrace trace) throws IOException {
    long views = 0;
    try (OutputStream out =
        new BufferedOutputStream(
            Files.newOutputStream(directory.resolve("events.ndjson")), 1 << 20)) {
      for (long i = 0; i < events; i++) {
        out.write(trace.next());
        out.write('\n');
        views += trace.isView() ? 1 : 0;
      }
    }
    return views;
  }
}
