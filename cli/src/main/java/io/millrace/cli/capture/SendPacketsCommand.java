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

/** {@code millrace send packets}: the packets of captures, to the log. */
@Command(
    name = "packets",
    description = {
      "Write the packets of captures, whatever they are, to the log of an instance that counts"
          + " them, at their own pace, at a multiple of it, or flat out, and wait until all are"
          + " there. Their times stay those of the capture."
    })
public final class SendPacketsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "pcap or pcapng, also gzipped; one after the other.")
  private List<Path> files;

  @Option(
      names = "--log",
      required = true,
      paramLabel = "HOST:PORT",
      description = "The log: 127.0.0.1 and log.port, or log.kafka, of the instance.")
  private String log;

  @Option(
      names = "--speed",
      paramLabel = "N|max",
      defaultValue = "1",
      description = "N times the capture's own pace, or as fast as it goes; 1 by default.")
  private String speed;

  @Override
  public Integer call() throws IOException {
    if (!log.matches("[^\\s,]+:\\d+(,[^\\s,]+:\\d+)*")) {
      throw new UsageException("--log " + log + " is not HOST:PORT, write 127.0.0.1:9092");
    }
    double factor = SendCommand.factor(speed);
    for (Path file : files) { // before the log is asked for, which may take a while
      if (!Files.isReadable(file)) {
        throw new IOException(file + ": no such file, or none that may be read");
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
              "millrace: %d packets (%d bytes on the wire) are in the log%n",
              sender.packets(), sender.bytes());
      return 0;
    } catch (LogException e) {
      throw new IOException(e.getMessage() + "; an instance with count.enabled: true makes it", e);
    }
  }
}
