package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.ingest.client.RecordSender;
import io.millrace.server.ingest.client.SendConfig;
import io.millrace.server.ingest.client.SendConfig.Protocol;
import io.millrace.testing.Await;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoding;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server whose log stalls or does not respond, with clients that continue to send. */
class SlowLogTest {
  private static final long BUFFER = 1 << 20;
  private static final int RECORDS = 60_000; // several times the buffer

  @TempDir Path dir;
  private final StallingLog log = new StallingLog(2);
  private IngestServer server;

  private void serve() throws Exception {
    server =
        IngestLog.server(
            IngestLog.config().withLimits(1 << 20, 100, 0, BUFFER), log, dir.resolve("frames"));
    server.start();
  }

  @AfterEach
  void stop() {
    log.resume();
    server.close();
  }

  private RecordSender sender(String client) {
    return RecordSender.of(
        new SendConfig(
            URI.create(server.url()),
            Protocol.WEBSOCKET,
            RecordEncoding.JSON,
            10,
            100_000,
            client,
            Optional.empty(),
            Optional.empty(),
            Duration.ofSeconds(30)));
  }

  private static TableBlock block() {
    TableBlock block = GatewayRecords.block(RECORDS);
    for (int i = 0; i < RECORDS; i++) {
      byte[] id = ("gateway-" + i % 100).getBytes(StandardCharsets.UTF_8);
      GatewayRecords.add(block, id, (1_700_000_000_000L + i) * 1_000, 1, 2, GatewayForm.COUNTER);
    }
    return block;
  }

  private static CompletableFuture<RecordSender.Counts> sendAll(RecordSender sender) {
    return CompletableFuture.supplyAsync(
        () -> {
          TableBlock block = block();
          try {
            for (int row = 0; row < block.rows(); row++) {
              sender.send(block, row);
            }
            sender.finish();
            return sender.counts();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  void throttlesClientsWithinItsMemory() throws Exception {
    serve();
    log.stall();
    try (RecordSender sender = sender("slow")) {
      CompletableFuture<RecordSender.Counts> done = sendAll(sender);
      Await.until("a full buffer", () -> server.waitingBytes() >= BUFFER);
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(server.url() + "/ingest/gateways"))
              .POST(BodyPublishers.ofString("{}"))
              .build();
      int status = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode();
      assertThat(status).isEqualTo(503);
      long read = server.streamCounts().get("gateways").frames();
      assertThat(server.waitingBytes()).isLessThan(2 * BUFFER);
      assertThat(read).isLessThan(RECORDS / 10);
      assertThat(sender.counts().accepted()).isZero();
      log.resume();
      assertThat(done.get().accepted()).isEqualTo(RECORDS);
      assertThat(log.records()).isEqualTo(RECORDS);
      assertThat(server.waitingBytes()).isZero();
    }
  }

  @Test
  void valuesWithUnknownOutcomeAreWrittenOnce() throws Exception {
    serve();
    for (boolean isKept : new boolean[] {true, false}) {
      log.stall();
      long before = log.records();
      try (RecordSender sender = sender("kept-" + isKept)) {
        CompletableFuture<RecordSender.Counts> done = sendAll(sender);
        Await.until("values on their way", () -> log.waiting() > 1);
        log.fail(isKept);
        log.fail(!isKept);
        log.resume();
        assertThat(done.get().accepted()).isEqualTo(RECORDS);
      }
      assertThat(log.records() - before).isEqualTo(RECORDS);
    }
  }
}
