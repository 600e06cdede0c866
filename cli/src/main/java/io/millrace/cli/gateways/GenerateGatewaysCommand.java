package io.millrace.cli.gateways;

import io.millrace.cli.console.Progress;
import io.millrace.cli.console.TraceOptions;
import io.millrace.cli.console.UsageException;
import io.millrace.traffic.fleet.Fleet;
import io.millrace.traffic.fleet.FleetConfig;
import io.millrace.traffic.fleet.FleetTruth;
import io.millrace.traffic.fleet.RecordFileWriter;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "gateways",
    description = {
      "Write synthetic gateway records, about one per gateway and minute, with typical errors: "
          + "missing, late and duplicate records, restarts, counters that wrap, days without "
          + "data. Send it with millrace send gateways. The same options produce the same file."
    })
public final class GenerateGatewaysCommand implements Callable<Integer> {
  private static final int ROWS = 8_192;
  private static final Duration MAX_GAP = Duration.ofDays(7);

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "Output file, gzipped if its name ends in .gz.")
  private Path file;

  @Option(
      names = "--gateways",
      paramLabel = "N",
      defaultValue = "200",
      description = "Number of gateways, 1 to 10,000,000; 200 by default.")
  private int gateways;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "1440",
      description = "Duration in minutes; a day by default.")
  private int minutes;

  @Option(
      names = "--form",
      paramLabel = "counter|cumulative|rate",
      defaultValue = "cumulative",
      description = "Kind of values; cumulative by default.")
  private GatewayForm form;

  @Option(
      names = "--encoding",
      paramLabel = "json|avro",
      defaultValue = "json",
      description = "JSON lines, or an Avro object container file; json by default.")
  private RecordEncoding encoding;

  @Option(
      names = "--wrap-at",
      paramLabel = "N",
      defaultValue = "4294967296",
      description = "Value at which counters wrap to 0; 2^32 by default.")
  private long wrapAt;

  @Mixin private TraceOptions traceOptions;

  @Option(
      names = "--truth",
      paramLabel = "FILE",
      description =
          "Also write the exact totals of each gateway and day, tab-separated: day, gateway, tx, "
              + "rx, seconds, records.")
  private Path truth;

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      defaultValue = "UTC",
      description = "Time zone of the days of --truth; UTC by default.")
  private String zone;

  @Override
  public Integer call() throws IOException {
    FleetConfig config;
    FleetTruth totals;
    try {
      Instant first = traceOptions.start();
      config =
          FleetConfig.of(gateways, first, minutes, form)
              .withSeed(traceOptions.seed())
              .withWrapAt(wrapAt);
      totals = new FleetTruth(zone(), wrapAt, MAX_GAP);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
    try {
      write(config, totals);
    } catch (NoSuchFileException e) {
      throw new IOException("cannot write " + e.getFile() + ": no such directory", e);
    } catch (AccessDeniedException e) {
      throw new IOException("cannot write " + e.getFile() + ": permission denied", e);
    } catch (FileSystemException e) {
      throw new IOException("cannot write " + e.getFile() + ": " + e.getReason(), e);
    }
    return 0;
  }

  private void write(FleetConfig config, FleetTruth totals) throws IOException {
    byte[] sync = ByteBuffer.allocate(16).putLong(traceOptions.seed()).putLong(gateways).array();
    Fleet fleet = new Fleet(config);
    TableBlock block = GatewayRecords.block(ROWS);
    long records = 0;
    try (RecordFileWriter out = new RecordFileWriter(file, GatewayRecords.SCHEMA, encoding, sync);
        Progress progress = new Progress(file.getFileName().toString())) {
      while (fleet.fill(block, ROWS)) {
        out.write(block);
        if (truth != null) {
          totals.add(block);
        }
        records += block.rows();
        progress.update(records, records, (long) gateways * minutes);
        block.clear();
      }
    }
    if (truth != null) {
      write(totals);
    }
    spec.commandLine()
        .getErr()
        .printf(
            "millrace: %d records of %d gateways in %s (%d bytes)%n",
            records, gateways, file, Files.size(file));
  }

  private ZoneId zone() {
    try {
      return ZoneId.of(zone);
    } catch (DateTimeException e) {
      throw new UsageException(
          "--zone " + zone + ": unknown time zone, expected one such as UTC or Europe/Berlin");
    }
  }

  private void write(FleetTruth totals) throws IOException {
    try (PrintWriter out =
        new PrintWriter(Files.newBufferedWriter(truth, StandardCharsets.UTF_8))) {
      out.println("day\tgateway\ttx\trx\tseconds\trecords");
      for (Map.Entry<String, FleetTruth.Total> entry : totals.totals().entrySet()) {
        FleetTruth.Total total = entry.getValue();
        out.println(
            String.join(
                "\t",
                entry.getKey().replace(' ', '\t'),
                total.tx().toString(),
                total.rx().toString(),
                Double.toString(total.millis() / 1e3),
                Long.toString(total.records())));
      }
      if (out.checkError()) {
        throw new IOException("cannot write " + truth);
      }
    }
  }
}
