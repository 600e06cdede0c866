package io.millrace.cli.gateways;

import io.millrace.cli.console.Progress;
import io.millrace.cli.console.UsageException;
import io.millrace.server.ingest.client.RecordFile;
import io.millrace.server.ingest.client.RecordSender;
import io.millrace.server.ingest.client.SendConfig;
import io.millrace.server.ingest.client.SendConfig.Protocol;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "gateways",
    description = {
      "Send the records of a file to an ingest server, in order, at their own pace or a multiple "
          + "of it, and wait until all are in its log. Over WebSocket, records lost with a "
          + "connection are sent again and written once."
    })
public final class SendGatewaysCommand implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final long MICROS = 1_000;
  private static final long PUSH_AHEAD_NANOS = 2_000_000;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FILE",
      description = "JSON lines, or an Avro object container file; also gzipped.")
  private Path file;

  @Mixin private IngestServer server;

  @Option(
      names = "--protocol",
      paramLabel = "http|websocket",
      defaultValue = "websocket",
      description = "Protocol, with a request or frame for each batch; websocket by default.")
  private Protocol protocol;

  @Option(
      names = "--encoding",
      paramLabel = "json|avro",
      defaultValue = "avro",
      description = "Encoding on the wire, whatever the file has; avro by default.")
  private RecordEncoding encoding;

  @Option(
      names = "--speedup",
      paramLabel = "N|max",
      description = "Multiple of the records' own pace, or max for no pacing; 1 by default.")
  private String speedup;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "1",
      description = "Records per request or frame; 1 by default.")
  private int batch;

  @Option(
      names = "--in-flight",
      paramLabel = "N",
      description =
          "Maximum unacknowledged requests or frames; 64 requests or 8,192 frames by default.")
  private int inFlight;

  @Option(
      names = "--form",
      paramLabel = "counter|cumulative|rate",
      description = "Default form of records without one.")
  private GatewayForm form;

  @Option(
      names = "--backfill",
      description =
          "The records are history, older than the newest of the gateways: they are summed "
              + "separately, in the table gateway_history. Unpaced unless --speedup is given.")
  private boolean isBackfill;

  @Option(
      names = "--client",
      paramLabel = "NAME",
      description = "Client name for deduplication of frames; a new one each time by default.")
  private String client = "";

  @Override
  public Integer call() throws IOException, InterruptedException {
    double factor = factor();
    if (batch < 1 || inFlight < 0) {
      throw new UsageException("--batch and --in-flight must be at least 1");
    }
    SendConfig config = config(); // checks the options before reading a long file
    long started = System.nanoTime();
    RecordSender.Counts counts;
    String firstError;
    try (RecordFile records = new RecordFile(file, GatewayRecords.SCHEMA, attributes());
        RecordSender sender = RecordSender.of(config);
        Progress progress = new Progress(file.getFileName().toString())) {
      send(records, sender, factor, progress);
      sender.finish();
      counts = sender.counts();
      firstError = sender.firstError();
    } catch (AccessDeniedException e) {
      throw new IOException(file + ": permission denied", e);
    }
    if (counts.sent() == 0) {
      throw new IOException(file + ": contains no records");
    }
    double seconds = (System.nanoTime() - started) / 1e9;
    PrintWriter err = spec.commandLine().getErr();
    return IngestServer.report(err, counts.accepted(), counts.rejected(), firstError, seconds);
  }

  private SendConfig config() throws IOException {
    Optional<SSLContext> tls = server.tls();
    int frames = inFlight > 0 ? inFlight : protocol == Protocol.HTTP ? 64 : 8_192;
    return new SendConfig(
            server.uri(),
            protocol,
            encoding,
            batch,
            frames,
            client.isEmpty() ? UUID.randomUUID().toString() : client,
            server.token(),
            tls,
            TIMEOUT)
        .withAttributes(isBackfill ? "backfill=true" : "");
  }

  private RecordAttributes attributes() {
    return GatewayRecords.SCHEMA.attributes(
        name -> form != null && name.equals("form") ? form.label() : null);
  }

  private static void send(
      RecordFile records, RecordSender sender, double factor, Progress progress)
      throws IOException, InterruptedException {
    long firstMicros = Long.MIN_VALUE;
    long newest = Long.MIN_VALUE;
    long start = System.nanoTime();
    long sent = 0;
    for (TableBlock block; (block = records.next()) != null; ) {
      for (int row = 0; row < block.rows(); row++) {
        long time = block.longs(GatewayRecords.TIME)[row];
        if (firstMicros == Long.MIN_VALUE) {
          firstMicros = time;
        }
        if (time > newest) {
          newest = time;
          if (factor < Double.POSITIVE_INFINITY) {
            await(start + (long) ((newest - firstMicros) * MICROS / factor), sender);
          }
        }
        sender.send(block, row);
        sent++;
      }
      progress.update(sent, 0, 0);
    }
  }

  private static void await(long due, RecordSender sender)
      throws IOException, InterruptedException {
    long left = due - System.nanoTime();
    if (left > PUSH_AHEAD_NANOS) {
      sender.push(); // flushes a partial batch
      left = due - System.nanoTime();
      if (left > 0) {
        Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
      }
    }
  }

  private double factor() {
    if (speedup == null) {
      return isBackfill ? Double.POSITIVE_INFINITY : 1;
    }
    if (speedup.equals("max")) {
      return Double.POSITIVE_INFINITY;
    }
    try {
      double factor = Double.parseDouble(speedup);
      if (factor > 0) {
        return factor;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new UsageException("--speedup " + speedup + ": expected a number above 0, or max");
  }
}
