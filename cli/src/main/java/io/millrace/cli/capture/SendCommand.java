package io.millrace.cli.capture;

import io.millrace.cli.console.Progress;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.gateways.SendGatewaysCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "send",
    description = {
      "Send the export datagrams of a capture to a collector, in order and at their own pace. "
          + "Each exporter in the capture gets its own socket; on loopback it is bound to 127.x.y.z, "
          + "the last three octets of the exporter's IPv4 address, so that the collector can "
          + "distinguish exporters. millrace send gateways sends gateway records, millrace "
          + "send packets the raw packets of a capture."
    },
    subcommands = {SendGatewaysCommand.class, SendPacketsCommand.class})
public final class SendCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "FILE", description = "pcap or pcapng, also gzipped.")
  private Path file;

  @Option(
      names = "--to",
      paramLabel = "HOST:PORT",
      description = "Address of the collector; required.")
  private String to;

  @Option(
      names = "--speed",
      paramLabel = "N|max",
      defaultValue = "1",
      description = "Multiple of the capture's own pace, or max for no pacing; 1 by default.")
  private String speed;

  @Option(
      names = "--allow-remote",
      description = "Allow destinations other than loopback addresses.")
  private boolean allowRemote;

  @Override
  public Integer call() throws IOException, InterruptedException {
    // picocli would require them before the subcommand gateways too.
    if (file == null || to == null) {
      throw new UsageException("Missing required " + (file == null ? "FILE" : "--to HOST:PORT"));
    }
    InetSocketAddress collector = collector();
    CaptureSender sender = new CaptureSender(collector, factor(speed));
    try (Progress progress = new Progress(file.getFileName().toString())) {
      sender.send(file, progress);
    } catch (NoSuchFileException e) {
      throw new IOException(file + ": no such file", e);
    } catch (IOException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
    spec.commandLine()
        .getErr()
        .printf(
            "millrace: sent %d datagrams (%d bytes) of %d exporters to %s%n",
            sender.datagrams(), sender.bytes(), sender.exporters(), to);
    if (sender.datagrams() == 0 && sender.skipped() == 0) {
      spec.commandLine()
          .getErr()
          .println(
              "millrace: "
                  + file
                  + " holds no sFlow, NetFlow or IPFIX datagrams; use millrace decode or"
                  + " millrace send packets for other packets");
    }
    if (sender.skipped() > 0) {
      spec.commandLine()
          .getErr()
          .println(
              "millrace: "
                  + sender.skipped()
                  + " datagrams truncated in the capture were not sent");
    }
    return 0;
  }

  /** Parses a speed; infinite for {@code max}. */
  static double factor(String speed) {
    if (speed.equals("max")) {
      return Double.POSITIVE_INFINITY;
    }
    try {
      double factor = Double.parseDouble(speed);
      if (factor > 0) {
        return factor;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new UsageException("--speed " + speed + ": expected a number above 0, or max");
  }

  private InetSocketAddress collector() {
    int colon = to.lastIndexOf(':');
    int port = -1;
    if (colon > 0) {
      try {
        port = Integer.parseInt(to.substring(colon + 1));
      } catch (NumberFormatException e) {
        port = -1;
      }
    }
    if (port < 1 || port > 65_535) {
      throw new UsageException("--to " + to + ": expected HOST:PORT, such as 127.0.0.1:6343");
    }
    InetAddress host;
    try {
      host = InetAddress.getByName(to.substring(0, colon));
    } catch (UnknownHostException e) {
      throw new UsageException("--to " + to + ": no such host");
    }
    if (!host.isLoopbackAddress() && !allowRemote) {
      throw new UsageException(
          "--to "
              + to
              + " is not a loopback address; add --allow-remote to send to another machine");
    }
    return new InetSocketAddress(host, port);
  }
}
