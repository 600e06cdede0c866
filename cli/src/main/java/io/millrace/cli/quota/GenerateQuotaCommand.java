package io.millrace.cli.quota;

import io.millrace.cli.console.TraceOptions;
import io.millrace.cli.console.UsageException;
import io.millrace.traffic.quota.QuotaTrace;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "quota",
    description = {
      "Write synthetic usage records and streaming events of subscribers as JSON lines, two "
          + "files a minute: usage-NNNN.ndjson and streaming-NNNN.ndjson. 59%% are usage "
          + "records; a fifth of the subscribers have used 90%% of their quota. The same "
          + "options produce the same files."
    })
public final class GenerateQuotaCommand implements Callable<Integer> {
  private static final int MAX_MINUTES = 9_999;
  private static final int MAX_RECORDS = 100_000_000;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "DIRECTORY", description = "Output directory, created if missing.")
  private Path directory;

  @Option(
      names = "--subscribers",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Number of subscribers, 1 to 100,000,000; 10000 by default.")
  private int subscribers;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "20",
      description = "Duration in minutes, 1 to 9999; 20 by default.")
  private int minutes;

  @Option(
      names = "--records",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Records of both kinds per minute, 1 to 100,000,000; 10000 by default.")
  private int records;

  @Mixin private TraceOptions traceOptions;

  @Override
  public Integer call() throws IOException {
    QuotaTrace trace;
    try {
      TraceOptions.require("--minutes", minutes, MAX_MINUTES);
      TraceOptions.require("--records", records, MAX_RECORDS);
      long first = traceOptions.startMicros();
      trace = new QuotaTrace(subscribers, first, records / 60.0, traceOptions.seed());
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
    Files.createDirectories(directory);
    long usage = 0;
    for (int minute = 0; minute < minutes; minute++) {
      usage += write(trace, minute);
    }
    spec.commandLine()
        .getErr()
        .printf(
            "millrace: %d usage records and %d streaming events of %d subscribers in %s%n",
            usage, (long) minutes * records - usage, subscribers, directory);
    return 0;
  }

  private long write(QuotaTrace trace, int minute) throws IOException {
    long usage = 0;
    try (BufferedWriter usageFile = TraceOptions.minuteFile(directory, "usage", minute);
        BufferedWriter streamingFile = TraceOptions.minuteFile(directory, "streaming", minute)) {
      for (int i = 0; i < records; i++) {
        trace.next();
        if (trace.isUsage()) {
          usage++;
          usageFile.write(usage(trace));
        } else {
          streamingFile.write(streaming(trace));
        }
      }
    }
    return usage;
  }

  private static String usage(QuotaTrace trace) {
    return "{\"time\":"
        + trace.time() / 1_000
        + ",\"msisdn\":"
        + trace.msisdn()
        + ",\"plan\":\"10 GB\",\"quota_limit\":"
        + QuotaTrace.LIMIT
        + ",\"quota_used\":"
        + trace.used()
        + ",\"complimentary_granted\":"
        + trace.granted()
        + ",\"complimentary_used\":"
        + trace.complimentaryUsed()
        + "}\n";
  }

  private static String streaming(QuotaTrace trace) {
    return "{\"time\":"
        + trace.time() / 1_000
        + ",\"msisdn\":"
        + trace.msisdn()
        + ",\"video\":\"https://videos.example/"
        + trace.time() % 1_000
        + "\"}\n";
  }
}
