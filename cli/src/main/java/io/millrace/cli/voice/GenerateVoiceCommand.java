package io.millrace.cli.voice;

import io.millrace.cli.console.MinuteFiles;
import io.millrace.cli.console.TraceOptions;
import io.millrace.cli.console.UsageException;
import io.millrace.traffic.voice.VoiceTrace;
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
    name = "voice",
    description = {
      "Write synthetic messages of radio cells, and the share of voice channels in use at their "
          + "controllers, as JSON lines, two files a minute: voice_messages-NNNN.ndjson and "
          + "voice_channels-NNNN.ndjson. Also write cells.csv, which maps cells to controllers. A "
          + "tenth of the controllers is busy from minute 5 to 10 of every twenty.  The same options "
          + "produce the same files."
    })
public final class GenerateVoiceCommand implements Callable<Integer> {
  private static final int MAX_MESSAGES = 100_000_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--controllers",
      paramLabel = "N",
      defaultValue = "20",
      description = "Number of controllers, of 50 cells each, 1 to 10,000; 20 by default.")
  private int controllers;

  @Option(
      names = "--messages",
      paramLabel = "N",
      defaultValue = "6000",
      description = "Messages per minute, 1 to 100,000,000; 6000 by default.")
  private int messages;

  @Mixin private MinuteFiles files;
  @Mixin private TraceOptions traceOptions;

  @Override
  public Integer call() throws IOException {
    VoiceTrace trace;
    long first;
    int minutes;
    try {
      minutes = files.minutes();
      TraceOptions.require("--messages", messages, MAX_MESSAGES);
      first = traceOptions.startMicros();
      trace = new VoiceTrace(controllers, first, messages / 60.0, traceOptions.seed());
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
    Files.createDirectories(files.directory());
    var unused =
        Files.writeString(
            files.directory().resolve("cells.csv"), VoiceTrace.cellsText(controllers));
    long written = 0;
    for (int minute = 0; minute < minutes; minute++) {
      written += write(trace, minute, first + (minute + 1) * 60_000_000L);
    }
    spec.commandLine()
        .getErr()
        .printf(
            "millrace: %d messages and the voice channels of %d controllers in %s%n",
            written, controllers, files.directory());
    return 0;
  }

  private long write(VoiceTrace trace, int minute, long until) throws IOException {
    long written = 0;
    try (BufferedWriter messageFile = files.open("voice_messages", minute);
        BufferedWriter channelFile = files.open("voice_channels", minute)) {
      while (trace.moment() < until) {
        trace.next();
        if (trace.isMessage()) {
          written++;
          messageFile.write(message(trace));
        } else {
          channelFile.write(channels(trace));
        }
      }
    }
    return written;
  }

  private static String message(VoiceTrace trace) {
    return "{\"time\":"
        + trace.time() / 1_000
        + ",\"msisdn\":"
        + trace.msisdn()
        + ",\"area\":"
        + trace.area()
        + ",\"cell\":"
        + trace.cell()
        + ",\"bytes\":"
        + trace.bytes()
        + "}\n";
  }

  private static String channels(VoiceTrace trace) {
    return "{\"time\":"
        + trace.time() / 1_000
        + ",\"controller\":"
        + trace.controller()
        + ",\"in_use\":"
        + trace.inUse()
        + "}\n";
  }
}
