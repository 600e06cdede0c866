package io.millrace.cli.capture;

import io.millrace.cli.console.Instants;
import io.millrace.cli.console.UsageException;
import io.millrace.traffic.DemoData;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.model.NetworkCsv;
import io.millrace.traffic.model.NetworkRange;
import io.millrace.traffic.model.RangeAddressPool;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.pcap.CaptureWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "flows",
    description = {
      "Write a capture of the sFlow of a simulated exchange point: real networks and names, "
          + "synthetic traffic, with interface counters. Print it with millrace decode, send "
          + "it to a collector with millrace send. The same options produce the same file."
    },
    footer = {
      "",
      "  millrace generate flows flows.pcap",
      "  millrace send flows.pcap --to 127.0.0.1:6343"
    })
public final class GenerateFlowsCommand implements Callable<Integer> {
  private static final int MAX_SECONDS = 86_400;
  private static final int MAX_RATE = 1_000_000;
  private static final int MAX_SWITCHES = 100;
  private static final int SFLOW_PORT = 6343;
  private static final int COLLECTOR = 0xC000_0201; // 192.0.2.1

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "Output capture (pcap).")
  private Path file;

  @Option(
      names = "--rate",
      paramLabel = "SAMPLES",
      defaultValue = "500",
      description = "Samples per second, 1 to 1,000,000; 500 by default.")
  private int rate;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "Duration, 1 to 86,400 seconds; 60 by default.")
  private int seconds;

  @Option(
      names = "--start",
      paramLabel = "T",
      defaultValue = "2026-03-01T12:00:00Z",
      description = "Start time; ${DEFAULT-VALUE} by default.")
  private String start;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Random seed; 1 by default.")
  private long seed;

  @Option(
      names = "--networks",
      paramLabel = "FILE",
      description =
          "Participating networks, as lines start,end,as,name; the N-th AS has the MAC address "
              + "02:00:00:00:00:N, N in hexadecimal. Bundled networks by default.")
  private Path networks;

  @Option(
      names = "--switches",
      paramLabel = "N",
      defaultValue = "4",
      description = "Number of switches, 1 to 100, from 127.0.0.11 on; 4 by default.")
  private int switches;

  @Override
  public Integer call() throws IOException {
    require("--switches", switches, MAX_SWITCHES);
    require("--rate", rate, MAX_RATE);
    require("--seconds", seconds, MAX_SECONDS);
    Instant from = Instants.parse("--start", start);
    long first = ChronoUnit.MICROS.between(Instant.EPOCH, from);
    TrafficGenerator traffic = traffic(first);
    ExportDatagram datagram = new ExportDatagram();
    long datagrams = 0;
    long samples = 0;
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      CaptureWriter capture = new CaptureWriter(out, CaptureWriter.ETHERNET_MTU);
      traffic.next(datagram);
      while (datagram.timeMicros() < first + 1_000_000L * seconds) {
        capture.datagram(
            datagram.timeMicros(),
            0,
            Addresses.v4Low(traffic.exporterAddress(datagram.exporter())),
            SFLOW_PORT,
            0,
            Addresses.v4Low(COLLECTOR),
            SFLOW_PORT,
            datagram.bytes(),
            datagram.offset(),
            datagram.length());
        datagrams++;
        samples += datagram.samples();
        traffic.next(datagram);
      }
    }
    spec.commandLine()
        .getErr()
        .printf(
            "millrace: %d datagrams of %d switches with %d samples in %s%n",
            datagrams, traffic.exporters(), samples, file);
    return 0;
  }

  private TrafficGenerator traffic(long first) throws IOException {
    TrafficConfig config =
        TrafficConfig.defaults(seed, first)
            .withSamplesPerSecond(rate)
            .withoutRhythm()
            .withExporters(TrafficConfig.Exporters.DEFAULT.withCount(switches));
    return networks == null
        ? new TrafficGenerator(config, DemoData.pool())
        : traffic(config, NetworkCsv.readRanges(networks));
  }

  /** Traffic in which the first networks of the list send most, and the last ones receive most. */
  static TrafficGenerator traffic(TrafficConfig config, List<NetworkRange> ranges) {
    List<Long> numbers = ranges.stream().map(NetworkRange::asNumber).distinct().toList();
    List<Long> backwards = new ArrayList<>(numbers);
    Collections.reverse(backwards);
    return new TrafficGenerator(
        config.withMix(
            config.mix().withNetworks(numbers.size()).withContent(numbers).withAccess(backwards)),
        new RangeAddressPool(ranges, List.of()));
  }

  private static void require(String option, int value, int max) {
    if (value < 1 || value > max) {
      throw new UsageException(option + " " + value + " is out of range, expected 1 to " + max);
    }
  }
}
