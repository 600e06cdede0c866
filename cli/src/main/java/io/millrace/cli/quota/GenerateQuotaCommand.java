package io.millrace.cli.quota;

import io.millrace.cli.console.MinuteFiles;
import io.millrace.cli.console.TraceOptions;
import io.millrace.cli.console.UsageException;
import io.millrace.traffic.quota.QuotaTrace;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "quota",
    description = {
      "Write synthetic usage records and streaming events of subscribers as JSON lines, two "
          + "files a minute: usage-NNNN.ndjson and streaming-NNNN.ndjson. 59%% are usage records. A "
          + "fifth of the subscribers has used 90%% of the quota.  The same "
          + "options produce the same files."
    })
public final class GenerateQuotaCommand implements Callable<Integer> {
  private static final int MAX_RECORDS = 100_000_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--subscribers",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Number of subscribers, 1 to 100,000,000; 10000 by default.")
  private int subscribers;

  @Option(
      names = "--records",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Records of both kinds per minute, 1 to 100,000,000; 10000 by default.")
  private int records;

  @Mixin private MinuteFiles files;
  @Mixin private TraceOptions traceOptions;

  @Override
  public Integer call() throws IOException {
    QuotaTrace trace;
    int minutes;
    try {
      minutes = files.minutes();
      TraceOptions.require("--records", records, MAX_RECORDS);
      long first = traceOptions.startMicros();
      trace = new QuotaTrace(subscribers, first, records / 60.0, traceOptions.seed());
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
    Files.createDirectories(files.directory());
    long usage = 0;
    for (int minute = 0; minute < minutes; minute++) {
      usage += write(trace, minute);
    }
    spec.commandLine()
        .getErr()
        .printf(
            "millrace: %d usage records and %d streaming events of %d subscribers in %s%n",
            usage, (long) minutes * records - usage, subscribers, files.directory());
    return 0;
  }

  private long write(QuotaTrace trace, int minute) throws IOException {
    long usage = 0;
    try (BufferedWriter usageFile = files.open("usage", minute);
        BufferedWriter streamingFile = files.open("streaming", minute)) {
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
