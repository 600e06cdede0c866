package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.ChildProcess;
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
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Server and log are repeatedly killed with SIGKILL while clients send. The clients reconnect and
 * resend unacknowledged records, and each record is logged once.
 */
class IngestKillTest {
  private static final int KILLS = Boolean.getBoolean("millrace.long") ? 4 : 1;
  private static final int CLIENTS = 3;
  private static final int GATEWAYS = 50;
  private static final long RECORDS_BETWEEN_KILLS = 2_000;

  @TempDir Path dir;
  private final AtomicBoolean isOver = new AtomicBoolean();

  @Test
  void eachRecordIsLoggedOnceAcrossKills() throws Exception {
    int port = FreePort.any();
    ChildProcess server = KilledIngest.spawn(dir, port);
    Await.until("the server", () -> answers(port)); // clients wait for one that was there, only
    List<RecordSender> senders = new ArrayList<>();
    List<CompletableFuture<Long>> sent = new ArrayList<>();
    AtomicLong all = new AtomicLong();
    try {
      for (int i = 0; i < CLIENTS; i++) {
        int number = i;
        RecordSender sender = sender(port, number);
        senders.add(sender);
        sent.add(CompletableFuture.supplyAsync(() -> send(sender, number, all)));
      }
      long accepted = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        long enough = accepted + RECORDS_BETWEEN_KILLS;
        Await.until("records acknowledged", () -> accepted(senders) > enough);
        server.kill();
        server.close();
        accepted = accepted(senders);
        server = KilledIngest.spawn(dir, port);
      }
      isOver.set(true);
      for (CompletableFuture<Long> one : sent) {
        var unused = one.get();
      }
      assertThat(accepted(senders)).isEqualTo(all.get());
      assertThat(senders).anyMatch(sender -> sender.counts().attempts() > 0);
    } finally {
      isOver.set(true);
      server.close();
      senders.forEach(RecordSender::close);
    }
    try (IngestLog log = new IngestLog(dir)) {
      List<String> records = log.records();
      Set<String> once = new HashSet<>(records);
      assertThat(records.size()).isEqualTo(once.size());
      assertThat(once.size()).isEqualTo((int) all.get());
    }
  }

  private static boolean answers(int port) {
    try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return probe.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static long accepted(List<RecordSender> senders) {
    return senders.stream().mapToLong(sender -> sender.counts().accepted()).sum();
  }

  private static RecordSender sender(int port, int number) {
    return RecordSender.of(
        new SendConfig(
            URI.create("http://127.0.0.1:" + port),
            Protocol.WEBSOCKET,
            number == 0 ? RecordEncoding.JSON : RecordEncoding.AVRO,
            1 + number,
            500,
            "client-" + number,
            Optional.empty(),
            Optional.empty(),
            Duration.ofSeconds(60)));
  }

  /** Sends until the end of the test; each record has a different time. */
  private long send(RecordSender sender, int number, AtomicLong all) {
    TableBlock block = GatewayRecords.block(1);
    long count = 0;
    try {
      while (!isOver.get()) {
        block.clear();
        byte[] id = ("gw-" + number + "-" + count % GATEWAYS).getBytes(StandardCharsets.UTF_8);
        GatewayRecords.add(
            block, id, (1_700_000_000_000L + count) * 1_000, 1, 2, GatewayForm.COUNTER);
        sender.send(block, 0);
        count++;
      }
      sender.finish();
      all.addAndGet(count);
      return count;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
