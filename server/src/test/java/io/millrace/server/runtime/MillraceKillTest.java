package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogReader;
import io.millrace.pipelines.flows.FlowDecoder;
import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.Tally;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole process is killed with SIGKILL in the middle of ingest, again and again, and goes on.
 *
 * <p>What UDP had in flight at a kill is gone by nature, so the truth is the log: at the end the
 * table holds exactly the rows that decoding the whole log gives, which is what one undisturbed run
 * would have stored.
 */
class MillraceKillTest {
  private static final int KILLS = 10;
  private static final int BURST = 40;
  private static final int MOST_MILLIS_UP = 1_500;
  private static final int LEAST_MILLIS_STARTING = 800;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path dir;
  private final Random random = new Random(20_260_131);
  private long loggedAtLeast;
  private int livesWithIngest;

  @Test
  void noRowIsLostOrDoubledOverTenKills() throws Exception {
    try (TestExporter exporter = new TestExporter(1)) {
      for (int life = 0; life < KILLS; life++) {
        live(exporter, life % 5 == 3);
      }
      assertThat(livesWithIngest).isGreaterThanOrEqualTo(KILLS / 2);
      try (Millrace last = new Millrace(Instances.config(dir))) {
        last.start();
        exporter.send(Instances.udp(last), 1); // shows what was lost while it was down
        Instances.await("the last datagram", () -> last.datagrams() == 1);
        Instances.drain(last);
        compare(last, exporter);
      }
    }
  }

  /** One life: some are killed while they start, the others while datagrams come in. */
  private void live(TestExporter exporter, boolean killWhileStarting) throws Exception {
    Process process = spawn();
    Executor timer =
        CompletableFuture.delayedExecutor(
            LEAST_MILLIS_STARTING + random.nextInt(MOST_MILLIS_UP), TimeUnit.MILLISECONDS);
    if (killWhileStarting) {
      timer.execute(() -> kill(process));
    }
    int upMillis = random.nextInt(MOST_MILLIS_UP);
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      InetSocketAddress to = null;
      long sent = 0;
      for (String line = said.readLine(); line != null; line = said.readLine()) {
        String[] words = line.split(" ", -1);
        if (words[0].equals("udp")) {
          to = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(words[1]));
          CompletableFuture.delayedExecutor(upMillis, TimeUnit.MILLISECONDS)
              .execute(() -> kill(process));
          exporter.send(to, BURST);
          sent = BURST;
        } else if (words[0].equals("received")) {
          loggedAtLeast = Math.max(loggedAtLeast, Long.parseLong(words[3]));
          if (Long.parseLong(words[1]) >= sent) {
            exporter.send(to, BURST);
            sent += BURST;
          }
        }
      }
      livesWithIngest += sent > BURST ? 1 : 0;
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertThat(process.exitValue()).as("killed, not failed").isEqualTo(128 + 9);
  }

  /** Not the process's own method, which would also close what it has said. */
  private static void kill(Process process) {
    process.toHandle().destroyForcibly();
  }

  private Process spawn() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--add-opens"))
        .forEach(command::add);
    command.addAll(
        List.of(
            "-Xmx768m",
            "-XX:TieredStopAtLevel=1", // most of a life is its start
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            KilledInstance.class.getName(),
            dir.toString()));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private void compare(Millrace last, TestExporter exporter) {
    List<String> expected = new ArrayList<>();
    long[] datagrams = new long[1];
    FlowDecoder decoder = new FlowDecoder(FlowsConfig.defaults(), 1);
    String servers = last.bootstrapServers();
    try (LogOffsets offsets = new LogOffsets(servers, FlowsPipeline.TOPIC)) {
      LogReader.read(
          servers,
          FlowsPipeline.TOPIC,
          Frontier.EMPTY,
          offsets.end(),
          PATIENCE,
          (partition, offset, time, key, value) -> {
            decoder.process(
                RawBatch.wrap(value, partition, offset),
                block -> {
                  add(block, expected);
                  datagrams[0] += block.tally().count(0, Tally.DATAGRAMS);
                });
            return true;
          });
    }
    assertThat(
            Instances.rows(
                last.store(),
                "SELECT log_partition, log_offset, log_index, src_addr, src_port, bytes FROM flows"))
        .containsExactlyInAnyOrderElementsOf(expected);
    assertThat(datagrams[0]).isBetween(loggedAtLeast, (long) exporter.sent());
    assertThat(expected).hasSize((int) datagrams[0] * TestExporter.SAMPLES);
    assertThat(last.ledger().violations()).isEmpty();
    assertThat(last.ledger().exporters())
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.collected().logged()).isEqualTo(datagrams[0]);
              assertThat(entry.job().stored()).isEqualTo(datagrams[0]);
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
