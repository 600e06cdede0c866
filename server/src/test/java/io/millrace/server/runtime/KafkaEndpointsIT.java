package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.server.collect.JobCounts;
import io.millrace.testing.Await;
import io.millrace.wire.block.RejectReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A complete instance with both Kafka endpoints on its own Kafka, and Kafka's own clients. */
class KafkaEndpointsIT {
  private static final int FLOWS = 3_000;

  @TempDir Path dir;

  private MillraceConfig config() throws Exception {
    Path networks =
        Files.writeString(dir.resolve("as.csv"), "8.0.0.0,8.0.15.255,3356,\"LEVEL 3\"\n");
    Map<String, DatasetDeclaration> sets = new LinkedHashMap<>();
    sets.put("asn", DatasetDeclaration.of(networks.toString()));
    return KafkaClients.open(Instances.config(dir.resolve("data")), null).withDatasets(sets);
  }

  @Test
  void messagesBecomeRowsAndRowsBecomeMessagesAcrossARestart() throws Exception {
    int samples = 20 * TestExporter.SAMPLES;
    try (Millrace millrace = new Millrace(config());
        TestExporter exporter = new TestExporter(1)) {
      millrace.start();
      try (KafkaProducer<byte[], byte[]> producer =
          KafkaClients.producer(millrace.bootstrapServers())) {
        KafkaClients.produce(producer, 0, FLOWS);
        KafkaClients.produceOther(producer, new byte[] {1 << 3, 3}); // NetFlow 9, no addresses
        KafkaClients.produceOther(producer, new byte[] {1});
      }
      exporter.send(Instances.udp(millrace), 20);
      Await.until("the rows", () -> millrace.table().rows() == FLOWS + samples);
      List<String> outgoing = KafkaClients.committed(millrace.bootstrapServers(), FLOWS + samples);

      assertThat(
              Instances.rows(
                  millrace.store(),
                  "SELECT count(*), count(DISTINCT bytes), sum(bytes), min(sampling_rate),"
                      + " min(src_as_name), min(exporter) FROM flows WHERE proto = 17"))
          .containsExactly(
              FLOWS + " " + FLOWS + " " + (long) FLOWS * (FLOWS + 1) / 2 + " 256 LEVEL 3 10.0.0.1");
      Instances.assertSameRows(outgoing, Instances.rows(millrace.store(), KafkaClients.ROW));
      assertThat(millrace.ledger().violations()).isEmpty();
      assertThat(millrace.ledger().exporters()).as("no collector has seen GoFlow2's").hasSize(1);
      Await.until("their count", () -> millrace.ledger().messages().rejects().size() == 2);
      JobCounts.Count messages = millrace.ledger().messages();
      assertThat(messages.rows()).isEqualTo(FLOWS);
      assertThat(messages.rejects())
          .containsExactly(
              Map.entry(RejectReason.NOT_IP, 1L), Map.entry(RejectReason.BAD_MESSAGE, 1L));
      assertThat(millrace.status().get("kafka_in"))
          .asInstanceOf(InstanceOfAssertFactories.MAP)
          .containsEntry("failure", null)
          .extractingByKey("messages", as(InstanceOfAssertFactories.LONG))
          .isGreaterThanOrEqualTo(FLOWS + 2L); // read again where the group has lost its member
    }
    try (Millrace again = new Millrace(config())) {
      again.start();
      try (KafkaProducer<byte[], byte[]> producer =
          KafkaClients.producer(again.bootstrapServers())) {
        KafkaClients.produce(producer, FLOWS, 2 * FLOWS);
      }
      int rows = 2 * FLOWS + samples;
      Await.until("the rows", () -> again.table().rows() == rows);
      Instances.assertSameRows(
          KafkaClients.committed(again.bootstrapServers(), rows),
          Instances.rows(again.store(), KafkaClients.ROW));
      assertThat(
              Instances.number(
                  again.store(), "SELECT count(DISTINCT bytes) FROM flows WHERE proto = 17"))
          .isEqualTo(2 * FLOWS);
    }
  }
}
