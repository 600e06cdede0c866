package io.millrace.cli.gateways;

import io.millrace.cli.console.Progress;
import io.millrace.cli.console.UsageException;
import io.millrace.server.ingest.client.RecordPieces;
import io.millrace.server.ingest.client.RecordSender;
import io.millrace.server.ingest.client.SendConfig;
import io.millrace.server.ingest.client.SendConfig.Protocol;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "ingest",
    description = {
      "Send files of records to a stream of a pipeline, unpaced, and wait until all are in the "
          + "log. Records lost with a connection are sent again and written once. Invalid "
          + "records are rejected and counted."
    })
public final class IngestCommand implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int IN_FLIGHT = 64;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "STREAM", description = "Name of the stream.")
  private String stream;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "FILE",
      description =
          "JSON lines, or an Avro object container file; also gzipped. - for standard input.")
  private List<Path> files;

  @Mixin private IngestServer server;

  private long accepted;
  private long rejected;
  private String firstError = "";

  @Override
  public Integer call() throws IOException, InterruptedException {
    checkStream();
    URI uri = server.uri();
    Optional<SSLContext> tls = server.tls();
    long started = System.nanoTime();
    for (Path file : files) {
      try (RecordPieces pieces = new RecordPieces(file);
          Progress progress = new Progress(file.getFileName().toString())) {
        send(pieces, config(uri, pieces.encoding(), tls), progress);
      } catch (AccessDeniedException e) {
        throw new IOException(file + ": permission denied", e);
      }
    }
    double seconds = (System.nanoTime() - started) / 1e9;
    PrintWriter err = spec.commandLine().getErr();
    return IngestServer.report(err, accepted, rejected, firstError, seconds);
  }

  private void send(RecordPieces pieces, SendConfig config, Progress progress)
      throws IOException, InterruptedException {
    long sent = accepted + rejected;
    try (RecordSender sender = RecordSender.of(config)) {
      while (pieces.next()) {
        if (pieces.records() > 0) {
          sender.send(Arrays.copyOf(pieces.bytes(), pieces.length()), pieces.records());
          sent += pieces.records();
          progress.update(sent, 0, 0);
        }
      }
      sender.finish();
      accepted += sender.counts().accepted();
      rejected += sender.counts().rejected();
      firstError = firstError.isEmpty() ? sender.firstError() : firstError;
    }
  }

  private SendConfig config(URI uri, RecordEncoding encoding, Optional<SSLContext> tls) {
    return new SendConfig(
        uri,
        Protocol.WEBSOCKET,
        encoding,
        1,
        IN_FLIGHT,
        UUID.randomUUID().toString(),
        server.token(),
        tls,
        stream,
        true,
        "",
        TIMEOUT);
  }

  private void checkStream() {
    if (!stream.matches("[a-z][a-z0-9_]*")) {
      throw new UsageException(stream + ": invalid name of a stream");
    }
  }
}
