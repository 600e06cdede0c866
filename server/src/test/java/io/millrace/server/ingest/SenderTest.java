package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pulse.FreePort;
import io.millrace.server.ingest.client.RecordSender;
import io.millrace.server.ingest.client.SendConfig;
import io.millrace.server.ingest.client.SendConfig.Protocol;
import io.millrace.testing.Await;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The client with both protocols, over connections that break. */
class SenderTest {
  private static final int RECORDS = 1_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @TempDir Path dir;
  private final StallingLog log = new StallingLog(3);
  private IngestServer server;
  private CuttingProxy proxy;

  @BeforeEach
  void start() throws IOException {
    server = IngestLog.server(IngestLog.config(), log, dir.resolve("frames"));
    server.start();
    proxy = new CuttingProxy(server.port());
  }

  @AfterEach
  void stop() {
    log.resume();
    proxy.close();
    server.close();
  }

  private static SendConfig config(
      int port, Protocol protocol, RecordEncoding encoding, int batch, Duration timeout) {
    return new SendConfig(
        URI.create("http://127.0.0.1:" + port),
        protocol,
        encoding,
        batch,
        50,
        "client",
        Optional.empty(),
        Optional.empty(),
        timeout);
  }

  private static void send(RecordSender sender, int from, int to) throws Exception {
    TableBlock block = SentRecords.block(RECORDS);
    for (int row = from; row < to; row++) {
      sender.send(block, row);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "HTTP, JSON, 1", "HTTP, JSON, 7", "HTTP, AVRO, 1", "HTTP, AVRO, 7",
    "WEBSOCKET, JSON, 1", "WEBSOCKET, JSON, 7", "WEBSOCKET, AVRO, 1", "WEBSOCKET, AVRO, 7"
  })
  void sentRecordsAreLogged(Protocol protocol, RecordEncoding encoding, int batch)
      throws Exception {
    SendConfig config = config(server.port(), protocol, encoding, batch, TIMEOUT);
    try (RecordSender sender = RecordSender.of(config)) {
      send(sender, 0, RECORDS);
      sender.finish();
      assertThat(sender.counts()).isEqualTo(new RecordSender.Counts(RECORDS, RECORDS, 0, 0));
      assertThat(sender.firstError()).isEmpty();
    }
    assertThat(SentRecords.of(log)).isEqualTo(SentRecords.expected(RECORDS));
  }

  /** Some frames are logged, but the connection breaks before any acknowledgement. */
  @Test
  void framesOfABrokenConnectionAreResentAndWrittenOnce() throws Exception {
    SendConfig config = config(proxy.port(), Protocol.WEBSOCKET, RecordEncoding.AVRO, 10, TIMEOUT);
    try (RecordSender sender = RecordSender.of(config)) {
      send(sender, 0, 200);
      sender.push();
      Await.until("acknowledgements", () -> sender.counts().accepted() == 200);
      log.stall();
      send(sender, 200, 500);
      sender.push();
      Await.until(
          "frames at the server", () -> server.streamCounts().get("gateways").frames() == 50);
      proxy.cut();
      log.resume();
      send(sender, 500, RECORDS);
      sender.finish();
      assertThat(sender.counts().accepted()).isEqualTo(RECORDS);
      assertThat(sender.counts().attempts()).isBetween(30L, 80L); // none that was acknowledged
    }
    assertThat(SentRecords.of(log)).isEqualTo(SentRecords.expected(RECORDS));
  }

  /** It continues after its last known frame; otherwise its first frames would count as resent. */
  @Test
  void aRestartedSenderWithAKnownNameLosesNothing() throws Exception {
    for (int from : new int[] {0, 500}) {
      SendConfig config =
          config(server.port(), Protocol.WEBSOCKET, RecordEncoding.AVRO, 10, TIMEOUT);
      try (RecordSender sender = RecordSender.of(config)) {
        send(sender, from, from + 500);
        sender.finish();
        assertThat(sender.counts().accepted()).isEqualTo(500);
      }
    }
    assertThat(SentRecords.of(log)).isEqualTo(SentRecords.expected(RECORDS));
  }

  @Test
  void requestsOfABrokenConnectionAreResent() throws Exception {
    SendConfig config = config(proxy.port(), Protocol.HTTP, RecordEncoding.JSON, 10, TIMEOUT);
    try (RecordSender sender = RecordSender.of(config)) {
      send(sender, 0, 10);
      Await.until("an answer", () -> sender.counts().accepted() == 10);
      log.stall();
      send(sender, 10, 110);
      Await.until(
          "requests at the server",
          () -> server.streamCounts().get("gateways").openRequests() == 10);
      proxy.cut();
      log.resume();
      send(sender, 110, RECORDS);
      sender.finish();
      assertThat(sender.counts().accepted()).isEqualTo(RECORDS);
      assertThat(sender.counts().attempts()).isPositive();
    }
    List<String> records = SentRecords.of(log); // a request has no number: some stand there twice
    assertThat(records.stream().distinct().toList()).isEqualTo(SentRecords.expected(RECORDS));
  }

  @ParameterizedTest
  @EnumSource
  void countsInvalidRecordsAndReportsTheFirst(Protocol protocol) throws Exception {
    TableBlock block = GatewayRecords.block(3);
    byte[] id = "gw".getBytes(StandardCharsets.UTF_8);
    for (long tx : new long[] {1, -1, 1}) {
      GatewayRecords.add(block, id, 1_700_000_000_000_000L, tx, 2, GatewayForm.COUNTER);
    }
    SendConfig config = config(server.port(), protocol, RecordEncoding.AVRO, 1, TIMEOUT);
    try (RecordSender sender = RecordSender.of(config)) {
      for (int row = 0; row < block.rows(); row++) {
        sender.send(block, row);
      }
      sender.finish();
      assertThat(sender.counts()).isEqualTo(new RecordSender.Counts(3, 2, 1, 0));
      assertThat(sender.firstError()).contains("record 0").contains("ipTx");
    }
  }

  @ParameterizedTest
  @EnumSource
  void anUnreachableServerIsReported(Protocol protocol) throws Exception {
    int port = FreePort.any();
    SendConfig config = config(port, protocol, RecordEncoding.AVRO, 1, TIMEOUT);
    try (RecordSender sender = RecordSender.of(config)) {
      assertThatThrownBy(
              () -> {
                send(sender, 0, 1);
                sender.finish();
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot send to http://127.0.0.1:" + port)
          .hasMessageContaining("connection refused");
    }
  }
}
