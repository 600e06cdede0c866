package io.millrace.cli.capture;

import io.millrace.cli.console.Progress;
import io.millrace.cli.console.UsageException;
import io.millrace.engine.log.LogException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "packets",
    description = {
      "Write the raw packets of captures to the log of an instance with count.enabled, at their "
          + "own pace, a multiple of it, or unpaced, and wait until all are acknowledged. "
          + "Packets keep their original times."
    })
public final class SendPacketsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "pcap or pcapng, also gzipped; sent in this order.")
  private List<Path> files;

  @Option(
      names = "--log",
      required = true,
      paramLabel = "HOST:PORT",
      description = "Address of the log: 127.0.0.1 and log.port of the instance, or its log.kafka.")
  private String log;

  @Option(
      names = "--speed",
      paramLabel = "N|max",
      defaultValue = "1",
      description = "Multiple of the capture's own pace, or max for no pacing; 1 by default.")
  private String speed;

  @Override
  public Integer call() throws IOException {
    if (!log.matches("[^\\s,]+:\\d+(,[^\\s,]+:\\d+)*")) {
      throw new UsageException("--log " + log + ": expected HOST:PORT, such as 127.0.0.1:9092");
    }
    double factor = SendCommand.factor(speed);
    for (Path file : files) { // before connecting to the log, which may take a while
      if (!Files.isReadable(file)) {
        throw new IOException(file + ": no such file, or not readable");
      }
    }
    try (PacketSender sender = new PacketSender(log, factor)) {
      for (Path file : files) {
        try (Progress progress = new Progress(file.getFileName().toString())) {
          sender.send(file, progress);
        } catch (IOException e) {
          throw new IOException(file + ": " + e.getMessage(), e);
        }
      }
      sender.finish();
      spec.commandLine()
          .getErr()
          .printf(
              "millrace: %d packets (%d bytes on the wire) sent to the log%n",
              sender.packets(), sender.bytes());
      return 0;
    } catch (LogException e) {
      throw new IOException(
          e.getMessage() + "; start an instance with count.enabled: true, which creates it", e);
    }
  }
}
