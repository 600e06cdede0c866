package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogReader;
import io.millrace.pipelines.flows.FlowDecoder;
import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.pulse.ChildProcess;
import io.millrace.testing.Await;
import io.millrace.testing.S3Server;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process is repeatedly killed with SIGKILL during ingest, or runs out of memory, and resumes.
 *
 * <p>Datagrams in socket buffers are lost at a kill, so the log is the reference: at the end the
 * table has exactly the rows of the whole log, decoded in one undisturbed run. One exporter sends
 * its template only to the first processes; its later records can be decoded because the template
 * is in the checkpoints.
 */
class MillraceKillTest {
  private static final int KILLS = Boolean.getBoolean("millrace.long") ? 10 : 3;
  private static final int BURST = 40;
  private static final int RECORD_BURST = 10;
  private static final int LIVES_WITH_TEMPLATE = 2;
  private static final int MAX_MILLIS_UP = 1_500;
  private static final int MIN_MILLIS_STARTING = 800;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** Exit status of a JVM that {@code ExitOnOutOfMemoryError} ends. */
  private static final int OUT_OF_MEMORY = 3;

  private static final int SIGKILL = 128 + 9;

  /** How a process ends. */
  private enum End {
    KILLED,
    KILLED_WHILE_STARTING,
    OUT_OF_MEMORY
  }

  @TempDir Path dir;
  private final Random random = new Random(20_260_131);
  private S3Server objects; // null without an object store
  private long loggedAtLeast;
  private int livesWithIngest;

  @Test
  void noRowIsLostOrDuplicatedAcrossKills() throws Exception {
    run();
  }

  /**
   * A fifth of the requests to the object store fail, take effect late, or are answered wrongly.
   */
  @Test
  void noRowIsLostOrDuplicatedInAnObjectStore() throws Exception {
    try (S3Server server = new S3Server()) {
      objects = server;
      run();
    }
  }

  private MillraceConfig config() {
    return objects == null
        ? KilledInstance.config(dir)
        : KilledInstance.config(dir, objects.endpoint());
  }

  private ChildProcess spawn() throws IOException {
    return objects == null
        ? KilledInstance.spawn(dir)
        : KilledInstance.spawn(KilledInstance.class, List.of(dir.toString(), objects.endpoint()));
  }

  private void setFailing(boolean isFailing) {
    if (objects != null && isFailing) {
      objects.failAtRandom(random, 0.2);
    } else if (objects != null) {
      objects.heal();
    }
  }

  private void run() throws Exception {
    try (TestExporter exporter = new TestExporter(1);
        TestRecords records = new TestRecords()) {
      for (int life = 0; life < KILLS; life++) {
        End end =
            switch (life % 5) {
              case 1 -> End.OUT_OF_MEMORY;
              case 2 -> End.KILLED_WHILE_STARTING;
              default -> End.KILLED;
            };
        live(exporter, records, life < LIVES_WITH_TEMPLATE, end);
      }
      assertThat(livesWithIngest).isGreaterThanOrEqualTo(KILLS / 2);
      try (Millrace last = new Millrace(config())) {
        last.start();
        assertThat(dir.resolve("jvm-tmp")).isEmptyDirectory();
        exporter.send(Instances.udp(last), 1); // shows what was lost while it was down
        records.send(Instances.udp(last), 1);
        Await.until("the last datagrams", () -> last.datagrams() == 2);
        Instances.drain(last);
        compare(last, exporter, records);
      }
    }
  }

  /** Runs a process: some end during the start, the others while datagrams arrive. */
  private void live(TestExporter exporter, TestRecords records, boolean template, End end)
      throws Exception {
    try (ChildProcess process = spawn()) {
      Executor timer =
          CompletableFuture.delayedExecutor(
              MIN_MILLIS_STARTING + random.nextInt(MAX_MILLIS_UP), TimeUnit.MILLISECONDS);
      if (end == End.KILLED_WHILE_STARTING) {
        timer.execute(process::kill);
      }
      boolean saysWhy = false;
      int upMillis = random.nextInt(MAX_MILLIS_UP);
      InetSocketAddress to = null;
      long sent = 0;
      for (String line = process.readLine(); line != null; line = process.readLine()) {
        String[] words = line.split(" ", -1);
        if (words[0].equals("udp")) {
          assertThat(dir.resolve("jvm-tmp").toFile().list((tmp, name) -> name.endsWith(".jar")))
              .as("unpacked by this life, and none left by others")
              .hasSize(1);
          to = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(words[1]));
          setFailing(true);
          CompletableFuture.delayedExecutor(upMillis, TimeUnit.MILLISECONDS)
              .execute(
                  end == End.OUT_OF_MEMORY ? () -> KilledInstance.exhaust(process) : process::kill);
          if (template) {
            records.sendTemplate(to);
            sent++;
          }
          sent += burst(exporter, records, to);
        } else if (words[0].equals("received")) {
          loggedAtLeast = Math.max(loggedAtLeast, Long.parseLong(words[3]));
          if (Long.parseLong(words[1]) >= sent) {
            sent += burst(exporter, records, to);
          }
        } else {
          saysWhy |= line.startsWith("Terminating due to java.lang.OutOfMemoryError");
        }
      }
      setFailing(false);
      livesWithIngest += sent > BURST + RECORD_BURST + 1 ? 1 : 0;
      assertThat(process.status())
          .as("how it ended")
          .isEqualTo(end == End.OUT_OF_MEMORY ? OUT_OF_MEMORY : SIGKILL);
      assertThat(saysWhy).isEqualTo(end == End.OUT_OF_MEMORY);
    }
  }

  private static int burst(TestExporter exporter, TestRecords records, InetSocketAddress to)
      throws IOException {
    records.send(to, RECORD_BURST);
    exporter.send(to, BURST);
    return RECORD_BURST + BURST;
  }

  private void compare(Millrace last, TestExporter exporter, TestRecords records) {
    List<String> expected = new ArrayList<>();
    Map<ExportProtocol, Long> datagrams = new EnumMap<>(ExportProtocol.class);
    Map<ExportProtocol, Long> rows = new EnumMap<>(ExportProtocol.class);
    FlowDecoder decoder = new FlowDecoder(FlowsConfig.defaults(), 1);
    String servers = last.bootstrapServers();
    try (LogOffsets offsets = new LogOffsets(servers, FlowsPipeline.TOPIC)) {
      LogReader.read(
          servers,
          FlowsPipeline.TOPIC,
          Frontier.EMPTY,
          offsets.end(),
          TIMEOUT,
          (partition, offset, time, key, value) -> {
            decoder.process(
                RawBatch.wrap(value, partition, offset),
                block -> {
                  add(block, expected);
                  ExporterCounters counters = block.counters();
                  for (int i = 0; i < counters.size(); i++) {
                    ExportProtocol protocol = Channel.protocol(counters.channel(i));
                    datagrams.merge(
                        protocol, counters.count(i, ExporterCounters.DATAGRAMS), Long::sum);
                    rows.merge(protocol, counters.count(i, ExporterCounters.ROWS), Long::sum);
                  }
                });
            return true;
          });
    }
    Instances.assertSameRows(
        Instances.rows(
            last.store(),
            "SELECT log_partition, log_offset, log_index, src_addr, src_port, bytes FROM flows"),
        expected);
    long sflow = datagrams.get(ExportProtocol.SFLOW);
    long netflow = datagrams.get(ExportProtocol.NETFLOW9);
    assertThat(sflow + netflow).isBetween(loggedAtLeast, (long) exporter.sent() + records.sent());
    assertThat(rows.get(ExportProtocol.SFLOW)).isEqualTo(sflow * TestExporter.SAMPLES);
    assertThat(rows.get(ExportProtocol.NETFLOW9))
        .as("every record but for the datagrams with the template")
        .isBetween(
            (netflow - LIVES_WITH_TEMPLATE) * TestRecords.RECORDS,
            (netflow - 1) * TestRecords.RECORDS);
    assertThat(last.ledger().violations()).isEmpty();
    assertThat(last.ledger().exporters())
        .hasSize(2)
        .allSatisfy(
            entry -> {
              long logged = datagrams.get(entry.key().protocol());
              assertThat(entry.collected().logged()).isEqualTo(logged);
              assertThat(entry.job().stored()).isEqualTo(logged);
            });
  }

  private static void add(FlowBlock block, List<String> rows) {
    for (int row = 0; row < block.rows(); row++) {
      rows.add(
          block.logPartition()
              + " "
              + block.logOffset()
              + " "
              + block.logIndex()[row]
              + " "
              + Addresses.toText(
                  block.addressHigh(FlowColumn.SRC_ADDR)[row],
                  block.addressLow(FlowColumn.SRC_ADDR)[row])
              + " "
              + block.ints(FlowColumn.SRC_PORT)[row]
              + " "
              + block.longs(FlowColumn.BYTES)[row]);
    }
  }
}
