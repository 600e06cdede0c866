package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogReader;
import io.millrace.pipelines.DeadLetters;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pulse.Pulse;
import io.millrace.server.collect.LedgerText;
import io.millrace.server.collect.LossLedger;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.server.replay.Replay;
import io.millrace.server.replay.Replays;
import io.millrace.server.replay.TooManyReplaysException;
import io.millrace.store.remote.StoreServer;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.Await;
import io.millrace.testing.ListeningSockets;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A complete instance with real UDP, log, job and store. */
class MillraceIT {
  private static final int BURST = 50;
  private static final int ROUNDS = 40;

  @TempDir Path dir;

  /** Configuration with rollups, for tests that replay or query rows. */
  private static MillraceConfig config(Path data) {
    return Instances.config(data).withSection(RollupConfig.DEFAULT);
  }

  @Test
  void reportsNoSubmittedJobIfJobsRunOnACluster() throws IOException {
    MillraceConfig config = Instances.config(dir.resolve("elsewhere"));
    config =
        config
            .withSection(config.store().withListen(StoreServer.anyLocalPort()))
            .withSection(IngestConfig.OFF.withListen(StoreServer.anyLocalPort()))
            .withSection(config.job().withRun(FlinkConfig.Place.CLUSTER));
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    try (Millrace millrace = new Millrace(config, told::add)) {
      millrace.start();
      assertThat(Pulse.all())
          .extracting(Pulse::name)
          .contains(
              "ingest-frames",
              "record-timer",
              "millrace-exporters",
              "millrace-rates",
              "store-accept",
              "store-beat",
              "store-query-limit");
    }
    assertThat(Pulse.all())
        .extracting(Pulse::name)
        .doesNotContain("record-timer", "millrace-rates", "store-beat");
    assertThat(told)
        .contains("store open (DuckDB)", "collector listening")
        .noneMatch(stage -> stage.contains("submitted") || stage.contains("Flink"));
  }

  @Test
  void capturesBecomeTheExpectedRows() throws Exception {
    List<OracleCapture> captures = new ArrayList<>(capturesOfRealEquipment());
    captures.add(OwnCapture.write(dir));
    try (Millrace millrace = new Millrace(Instances.config(dir.resolve("data")))) {
      millrace.start();
      List<String> expected = new ArrayList<>();
      for (OracleCapture capture : captures) {
        send(millrace, capture);
        expected.addAll(capture.rows());
      }
      Instances.drain(millrace);
      Instances.assertSameRows(Instances.rows(millrace.store(), OracleCapture.QUERY), expected);
      assertThat(millrace.ledger().violations()).isEmpty();
    }
  }

  /**
   * Sends a capture from a socket per exporter; the next burst only when the previous one was
   * received.
   */
  private static void send(Millrace millrace, OracleCapture capture) throws IOException {
    Map<String, DatagramChannel> sockets = new HashMap<>();
    long sent = millrace.datagrams();
    try {
      for (OracleCapture.Datagram datagram : capture.datagrams()) {
        DatagramChannel socket = sockets.get(datagram.sender());
        if (socket == null) {
          socket = DatagramChannel.open();
          socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
          sockets.put(datagram.sender(), socket);
        }
        socket.send(datagram.payload(), Instances.udp(millrace));
        if (++sent % BURST == 0) {
          awaitReceived(millrace, sent);
        }
      }
      awaitReceived(millrace, sent);
    } finally {
      for (DatagramChannel socket : sockets.values()) {
        socket.close();
      }
    }
  }

  private static void awaitReceived(Millrace millrace, long datagrams) {
    Await.until(datagrams + " datagrams", () -> millrace.datagrams() >= datagrams);
  }

  /** Captures of the shared folder; none if it is missing. */
  private static List<OracleCapture> capturesOfRealEquipment() throws IOException {
    Path folder = Path.of(System.getProperty("millrace.shared"), "captures", "sflow");
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".pcap"))
          .sorted()
          .map(OracleCapture::new)
          .toList();
    }
  }

  /** One instance for several checks, each of which has its own exporters. */
  @Test
  void exportersAreListedAndAccountedFor() throws Exception {
    try (Millrace millrace = new Millrace(Instances.config(dir))) {
      millrace.start();
      everyProtocolIsListedWithItsLosses(millrace);
      recordsWaitForTheirTemplateAndTheExporterIsListed(millrace);
      aMalformedDatagramIsKeptWholeWithItsTimeAndSender(millrace);
    }
  }

  private static void recordsWaitForTheirTemplateAndTheExporterIsListed(Millrace millrace)
      throws IOException {
    try (TestRecords exporter = new TestRecords()) {
      long before = millrace.datagrams();
      exporter.send(Instances.udp(millrace), 3);
      exporter.sendTemplate(Instances.udp(millrace));
      exporter.send(Instances.udp(millrace), 2);
      awaitReceived(millrace, before + 6);
      Instances.drain(millrace);

      assertThat(
              Instances.rows(
                  millrace.store(),
                  "SELECT count(*), count(DISTINCT src_port), sum(packets) FROM flows"
                      + " WHERE observation_domain = 77"))
          .containsExactly("20 20 40");
      assertThat(millrace.ledger().violations()).isEmpty();
      Await.until(
          "the list of exporters",
          () ->
              Instances.rows(
                      millrace.store(),
                      "SELECT exporter, protocol, domain, datagrams, rows, templates,"
                          + " lost_datagrams FROM exporters")
                  .contains("127.0.0.1 netflow9 77 6 20 1 0"));
    }
  }

  private static void everyProtocolIsListedWithItsLosses(Millrace millrace) throws IOException {
    try (RecordExporter five = new RecordExporter(5, 1);
        RecordExporter nine = new RecordExporter(9, 9);
        RecordExporter ipfix = new RecordExporter(10, 10);
        RecordExporter domain = new RecordExporter(10, 11);
        TestExporter sflow = new TestExporter(1)) {
      InetSocketAddress to = Instances.udp(millrace);
      for (RecordExporter exporter : List.of(five, nine, ipfix, domain)) {
        exporter.send(to);
        exporter.send(to);
      }
      for (RecordExporter exporter : List.of(five, nine, ipfix)) {
        exporter.lose();
        exporter.send(to);
      }
      sflow.send(to, 2);
      sflow.next(); // lost
      sflow.sendCounters(to, 1_000);
      // Datagrams that are read together may have the same time, and then there is no rate.
      awaitReceived(millrace, 14);
      sflow.sendCounters(to, 3_500);
      awaitReceived(millrace, 15);
      Instances.drain(millrace);
      Await.until(
          "what an interface counted",
          () ->
              Instances.rows(
                      millrace.store(),
                      "SELECT interface, round(in_bits * seconds) FROM interface_rates")
                  .equals(List.of("7 20000.0")));

      LossLedger.Report report = millrace.ledger();
      assertThat(report.violations()).isEmpty();
      assertThat(LedgerText.of(report, millrace.facts()))
          .contains("5 flow records missing, by sequence numbers");
      Await.until(
          "the list of exporters",
          () ->
              Instances.rows(
                      millrace.store(),
                      "SELECT protocol, domain, datagrams, rows, lost_datagrams, lost_records,"
                          + " templates, abs(clock_skew_ms) < 10000, last_seen >= first_seen"
                          + " FROM exporters ORDER BY ALL")
                  .equals(
                      List.of(
                          "ipfix 10 3 15 0 5 1 true true",
                          "ipfix 11 2 10 0 0 1 true true",
                          "netflow5 1 3 15 0 5 0 true true",
                          "netflow9 9 3 15 1 0 1 true true",
                          "sflow 0 4 20 1 0 0 true true")));
    }
  }

  private static void aMalformedDatagramIsKeptWholeWithItsTimeAndSender(Millrace millrace)
      throws IOException {
    try (TestExporter exporter = new TestExporter(2);
        DatagramChannel socket = DatagramChannel.open()) {
      byte[] whole = exporter.next();
      byte[] cut = Arrays.copyOf(exporter.next(), whole.length - 7);
      byte[] unknown = "<13>no flow export at all".getBytes(StandardCharsets.US_ASCII);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      long received = millrace.datagrams();
      long before = micros();
      for (byte[] datagram : List.of(whole, cut, unknown)) {
        socket.send(ByteBuffer.wrap(datagram), Instances.udp(millrace));
      }
      awaitReceived(millrace, received + 3);
      long after = micros();
      Instances.drain(millrace);

      Await.until("two dead letters", () -> deadLetters(millrace).size() >= 2);
      int port = ((InetSocketAddress) socket.getLocalAddress()).getPort();
      assertThat(deadLetters(millrace))
          .allSatisfy(
              letter -> {
                assertThat(letter.time()).isBetween(before, after);
                assertThat(letter.sender()).isEqualTo("127.0.0.1");
                assertThat(letter.port()).isEqualTo(port);
              })
          .extracting(DeadLetter::payload)
          .containsExactlyInAnyOrder(ByteBuffer.wrap(cut), ByteBuffer.wrap(unknown));
      assertThat(millrace.ledger().violations()).isEmpty();
    }
  }

  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /** A datagram in the topic of dead letters. */
  private record DeadLetter(long time, String sender, int port, ByteBuffer payload) {}

  private static List<DeadLetter> deadLetters(Millrace millrace) {
    List<DeadLetter> letters = new ArrayList<>();
    String topic = DeadLetters.TOPIC;
    try (LogOffsets offsets = new LogOffsets(millrace.bootstrapServers(), topic)) {
      LogReader.read(
          millrace.bootstrapServers(),
          topic,
          offsets.begin(),
          offsets.end(),
          Duration.ofMinutes(1),
          (partition, offset, timeMillis, key, value) -> {
            RawBatch batch = RawBatch.wrap(value, partition, offset);
            int cursor = batch.first();
            for (int left = batch.rows(); left > 0; left--, cursor = batch.next(cursor)) {
              letters.add(
                  new DeadLetter(
                      batch.time(cursor),
                      Addresses.toText(batch.senderHigh(cursor), batch.senderLow(cursor)),
                      batch.senderPort(cursor),
                      ByteBuffer.wrap(
                          Arrays.copyOfRange(
                              batch.bytes(),
                              batch.payload(cursor),
                              batch.payload(cursor) + batch.payloadLength(cursor)))));
            }
            return true;
          });
    }
    return letters;
  }

  @Test
  void declaredDataSetsBecomeColumnsAndThePublishedQueryRunsAsWritten() throws Exception {
    Map<String, DatasetDeclaration> datasets = new LinkedHashMap<>();
    datasets.put(
        "asn",
        DatasetDeclaration.of(
            write("asn.csv", "16777216,16777471,\"AS13335 Cloudflare, Inc.\"").toString()));
    Map<String, String> bothEnds = new LinkedHashMap<>();
    bothEnds.put("src_addr", "src_");
    bothEnds.put("dst_addr", "dst_");
    datasets.put(
        "country",
        new DatasetDeclaration(
            "range",
            List.of(
                write("country.csv", "1.0.0.0,1.0.0.255,AU", "10.0.0.0,10.0.0.1,ZZ").toString()),
            List.of("start", "end", "country:text"),
            bothEnds,
            false,
            0));
    MillraceConfig config = Instances.config(dir.resolve("data")).withDatasets(datasets);
    try (TestExporter exporter = new TestExporter(1);
        Millrace millrace = new Millrace(config)) {
      millrace.start();
      exporter.send(Instances.udp(millrace), 20);
      awaitReceived(millrace, 20);
      Instances.drain(millrace);

      assertThat(
              Instances.rows(
                  millrace.store(),
                  "SELECT src_as, src_as_name, src_country, dst_country, count(*) FROM flows"
                      + " GROUP BY ALL ORDER BY ALL"))
          .containsExactlyInAnyOrder("13335 Cloudflare, Inc. AU ZZ 50", "- - - ZZ 50");
      assertThat(
              Instances.rows(
                  millrace.store(),
                  "SELECT as.asS, as.asD, COUNT(*) AS pairCount FROM netdata GROUP BY as.asS, as.asD"
                      + " ORDER BY pairCount DESC LIMIT 10"))
          .containsExactlyInAnyOrder("AS13335 Cloudflare, Inc. null 50", "null null 50");
    }
  }

  private Path write(String name, String... lines) throws IOException {
    return Files.write(dir.resolve(name), List.of(lines));
  }

  @Test
  void resumesWhereItStoppedAndReplays() throws Exception {
    try (TestExporter exporter = new TestExporter(1)) {
      try (Millrace first = new Millrace(config(dir))) {
        first.start();
        assertThat(first.job().restored()).isEmpty();
        exporter.send(Instances.udp(first), BURST);
        awaitReceived(first, BURST);
        Instances.drain(first);
        assertAllIsWell(first, BURST);
        Await.until(
            "a checkpoint that covers all rows",
            () ->
                Instances.number(first.store(), "SELECT count(*) FROM flows_committed")
                    == BURST * TestExporter.SAMPLES);
        exporter.send(Instances.udp(first), BURST); // close reads, logs and keeps what has come
      }
      try (Millrace second = new Millrace(config(dir))) {
        second.start();
        assertThat(second.job().restored()).isPresent();
        exporter.send(Instances.udp(second), BURST);
        awaitReceived(second, BURST);
        Instances.drain(second);
        assertAllIsWell(second, 3 * BURST);
        replaysARangeOfTheLogIntoASeparateTable(second, 3 * BURST * TestExporter.SAMPLES);
      }
    }
  }

  private static void assertAllIsWell(Millrace millrace, int datagrams) {
    assertThat(
            Instances.rows(
                millrace.store(),
                "SELECT count(*), count(DISTINCT (log_partition, log_offset, log_index)), sum(bytes)"
                    + " FROM flows"))
        .containsExactly(
            datagrams * TestExporter.SAMPLES
                + " "
                + datagrams * TestExporter.SAMPLES
                + " "
                + bytes(datagrams));
    assertThat(millrace.ledger().violations()).isEmpty();
    assertThat(LedgerText.of(millrace.ledger(), millrace.facts())).contains(": all well");
  }

  private static long bytes(int datagrams) {
    long bytes = 0;
    for (int i = 0; i < datagrams * TestExporter.SAMPLES; i++) {
      bytes += 100 + i % 1_000;
    }
    return bytes;
  }

  private static void replaysARangeOfTheLogIntoASeparateTable(Millrace millrace, int rows)
      throws Exception {
    Instant start = Instant.now().minusSeconds(3_600);
    long self = ProcessHandle.current().pid();
    int listenersBefore = ListeningSockets.of(self).size();
    Set<InetSocketAddress> listeners = new HashSet<>();
    Replay replay = millrace.replays().start("flows", start, Instant.now().plusSeconds(60));
    Await.until(
        "the end of the replay, which says " + replay.failure(),
        () -> {
          listeners.addAll(ListeningSockets.of(self));
          return replay.state() == Replay.State.DONE;
        });
    assertThat(listeners)
        .hasSizeGreaterThan(listenersBefore) // the replay's own were seen
        .allMatch(listener -> listener.getAddress().isLoopbackAddress());
    String columns = "src_addr, dst_addr, bytes, time, log_partition, log_offset, log_index";
    assertThat(
            Instances.rows(
                millrace.store(), "SELECT " + columns + " FROM " + replay.name() + " ORDER BY ALL"))
        .hasSize(rows)
        .isEqualTo(
            Instances.rows(millrace.store(), "SELECT " + columns + " FROM flows ORDER BY ALL"));
    assertThat(replay.valuesDone()).isEqualTo(replay.values());
    assertThat(millrace.replays().start("flows", start, start.plusMillis(1)).values()).isZero();
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 3 * Replays.MAX_RUNNING; i++) {
                millrace.replays().start("flows", start, Instant.now());
              }
            })
        .isInstanceOf(TooManyReplaysException.class);
  }

  @Test
  void queriesDuringIngestSeeOnlyWholeFlushes() throws Exception {
    try (TestExporter exporter = new TestExporter(1);
        Millrace millrace = new Millrace(config(dir))) {
      millrace.start();
      long seen = 0;
      for (int round = 1; round <= ROUNDS; round++) {
        exporter.send(Instances.udp(millrace), BURST);
        long rows = Instances.number(millrace.store(), "SELECT count(*) FROM flows");
        long committed = Instances.number(millrace.store(), "SELECT count(*) FROM flows_committed");
        assertThat(rows).isGreaterThanOrEqualTo(seen);
        assertThat(rows % TestExporter.SAMPLES).isZero();
        seen = rows;
        assertThat(committed)
            .isLessThanOrEqualTo(Instances.number(millrace.store(), "SELECT count(*) FROM flows"));
        awaitReceived(millrace, (long) round * BURST);
      }
      Instances.drain(millrace);
      assertThat(Instances.number(millrace.store(), "SELECT count(*) FROM flows"))
          .as(() -> LedgerText.of(millrace.ledger(), millrace.facts()))
          .isEqualTo((long) ROUNDS * BURST * TestExporter.SAMPLES);
    }
  }
}
