package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.pulse.ChildProcess;
import io.millrace.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process is repeatedly killed with SIGKILL while it reads messages from an external Kafka and
 * writes rows to it. At the end each message is one row, and each row is in the topic once, for
 * read_committed consumers.
 */
class KafkaEndpointsKillTest {
  private static final int KILLS = Boolean.getBoolean("millrace.long") ? 6 : 1;
  private static final int BURST = 200;

  /** Messages per process: few enough for a slow machine to store in time. */
  private static final int MAX_MESSAGES = 6_000;

  private static final int MAX_MILLIS_UP = 2_500;
  private static final LogConfig CONFIG = LogConfig.defaults().withPartitions(2);

  @TempDir Path dir;
  private final Random random = new Random(20_260_417);

  @Test
  void noMessageIsLostOrDuplicatedAcrossKills() throws Exception {
    try (EmbeddedLog kafka = new EmbeddedLog(CONFIG, dir.resolve("kafka"))) {
      kafka.start();
      LogTopics topics = new LogTopics(kafka, CONFIG);
      topics.ensure(KafkaClients.IN);
      topics.ensure(KafkaClients.OUT);
      AtomicInteger produced = new AtomicInteger();
      for (int life = 0; life < KILLS; life++) {
        live(kafka.bootstrapServers(), produced);
      }
      try (Millrace last =
          new Millrace(
              KafkaClients.open(Instances.config(dir.resolve("data")), kafka.bootstrapServers()))) {
        last.start();
        int rows = produced.get();
        Await.until("the rows", () -> last.table().rows() >= rows);
        List<String> messages = KafkaClients.committed(kafka.bootstrapServers(), rows);
        List<String> table = Instances.rows(last.store(), KafkaClients.ROW);
        assertThat(table).hasSize(rows);
        assertThat(Instances.number(last.store(), "SELECT count(DISTINCT bytes) FROM flows"))
            .as("each message is one row")
            .isEqualTo(rows);
        Instances.assertSameRows(messages, table);
      }
      assertThat(KafkaClients.committed(kafka.bootstrapServers())).hasSize(produced.get());
    }
  }

  private void live(String bootstrap, AtomicInteger produced) throws Exception {
    try (ChildProcess process =
        KilledInstance.spawn(
            KilledEndpoints.class, List.of(dir.resolve("data").toString(), bootstrap))) {
      AtomicBoolean alive = new AtomicBoolean(true);
      CompletableFuture<Void> producing =
          CompletableFuture.runAsync(() -> produce(bootstrap, produced, alive));
      int upMillis = random.nextInt(MAX_MILLIS_UP);
      try {
        for (String line = process.readLine(); line != null; line = process.readLine()) {
          if (line.startsWith("udp ")) {
            CompletableFuture.delayedExecutor(upMillis, TimeUnit.MILLISECONDS)
                .execute(process::kill);
          }
        }
      } finally {
        alive.set(false);
      }
      producing.get(1, TimeUnit.MINUTES);
      assertThat(process.status()).as("killed, not failed").isEqualTo(ChildProcess.KILLED);
    }
  }

  /** Writes bursts, and waits until Kafka has each, so the rate is moderate. */
  private static void produce(String bootstrap, AtomicInteger produced, AtomicBoolean alive) {
    int end = produced.get() + MAX_MESSAGES;
    try (KafkaProducer<byte[], byte[]> producer = KafkaClients.producer(bootstrap)) {
      while (alive.get() && produced.get() < end) {
        int from = produced.getAndAdd(BURST);
        KafkaClients.produce(producer, from, from + BURST);
      }
    }
  }
}
