package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.pipelines.Pipeline;
import io.millrace.pipelines.plugins.PluginsConfig;
import io.millrace.pulse.ChildProcess;
import io.millrace.server.replay.Replay;
import io.millrace.testing.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plugins in a complete instance: their rows equal SQL on the flows, and, row by row, an
 * undisturbed run over the same log.
 */
class PluginsIT {
  private static final String SERVICE = "META-INF/services/" + Pipeline.class.getName();

  private static final boolean LONG = Boolean.getBoolean("millrace.long");
  private static final int KILLS = LONG ? 3 : 1;

  @TempDir private Path directory;
  private Path jars;

  @BeforeEach
  void makeDirectory() throws IOException {
    jars = Files.createDirectory(directory.resolve("plugins"));
  }

  private MillraceConfig config(int slots) {
    return withoutPlugins(slots).withPlugins(jars);
  }

  private MillraceConfig withoutPlugins(int slots) {
    return Instances.config(directory.resolve("data"))
        .withSection(
            FlinkConfig.defaults().withSlots(slots).withCheckpointInterval(Duration.ofMillis(300)))
        .withSection(PluginsConfig.NONE.withWatermarkDelay(Instances.WATERMARK_DELAY));
  }

  private static void send(Millrace millrace, TestExporter exporter, int datagrams) {
    try {
      exporter.send(Instances.udp(millrace), datagrams);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Compares a table with SQL on the flows and with an undisturbed run. */
  private static void assertRight(
      Millrace millrace,
      TestExporter exporter,
      String table,
      String window,
      String fromFlows,
      String fromResults) {
    String until = Instances.awaitWindows(millrace, exporter, table, window);
    List<String> expected =
        Instances.rows(
            millrace.store(), fromFlows.replace("{until}", until.replace(window, "start")));
    assertThat(expected).isNotEmpty();
    assertThat(Instances.rows(millrace.store(), fromResults.replace("{until}", until)))
        .isEqualTo(expected);
    Instances.assertSameResults(millrace, table, Instances.replayAll(millrace), until);
  }

  private static void awaitFailure(Millrace millrace, TestExporter exporter, int wanted) {
    await(
        "failure",
        millrace,
        () -> {
          send(millrace, exporter, 5);
          return StumblingPlugin.FAILURES.get() >= wanted;
        });
  }

  private static void await(String what, Millrace millrace, Callable<Boolean> condition) {
    try {
      Await.until(what, condition);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "; " + millrace.job(), e);
    }
  }

  @Test
  void theLastWindowsCloseThoughTrafficHasStopped() throws Exception {
    packStumbling();
    String bytes = "SELECT coalesce(sum(bytes), 0)::BIGINT FROM ";
    try (TestExporter exporter = new TestExporter(0x0A00000A);
        Millrace millrace = new Millrace(config(2))) {
      millrace.start();
      exporter.send(Instances.udp(millrace), 200);
      Instances.drain(millrace);
      long sent = Instances.number(millrace.store(), bytes + "flows");
      assertThat(sent).isPositive();
      Await.until(
          "the last windows",
          () -> Instances.number(millrace.store(), bytes + StumblingPlugin.NAME) == sent);
      Instances.assertSameResults(
          millrace, StumblingPlugin.NAME, Instances.replayAll(millrace), "true");
    }
  }

  @Test
  void partialResultsOfSubtasksAreMerged() throws Exception {
    pack(PartialPlugin.class);
    try (TestExporter exporter = new TestExporter(0x0A00000B)) {
      for (int slots : LONG ? new int[] {3, 2} : new int[] {3}) {
        try (Millrace millrace = new Millrace(config(slots))) {
          millrace.start();
          exporter.send(Instances.udp(millrace), 300);
          Instances.drain(millrace);
          await("a checkpoint", millrace, () -> millrace.job().checkpoint().isPresent());
          String until =
              Instances.awaitWindows(
                  millrace, exporter, PartialPlugin.NAME, "second_end - INTERVAL 1 SECOND");
          String select = "SELECT * FROM %s WHERE " + until + " ORDER BY ALL";
          assertThat(Instances.rows(millrace.store(), select.formatted(PartialPlugin.NAME)))
              .isNotEmpty()
              .isEqualTo(
                  Instances.rows(
                      millrace.store(),
                      select.formatted(
                          """
                          (SELECT time_bucket(INTERVAL 1 SECOND, time) + INTERVAL 1 SECOND
                             AS second_end, proto::BIGINT, count(*), sum(bytes)
                           FROM flows GROUP BY ALL)\
                          """)));
        }
      }
    }
  }

  private void packStumbling() throws IOException {
    pack(StumblingPlugin.class);
  }

  private void pack(Class<? extends Pipeline> plugin) throws IOException {
    try (OutputStream file = Files.newOutputStream(jars.resolve("test.jar"));
        ZipOutputStream out = new ZipOutputStream(file)) {
      out.putNextEntry(new ZipEntry(SERVICE));
      out.write(plugin.getName().getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  void aKilledProcessResumesFromItsCheckpoint() throws Exception {
    packStumbling();
    try (TestExporter exporter = new TestExporter(0x0A000009)) {
      for (int life = 0; life < KILLS; life++) {
        try (ChildProcess process = KilledInstance.spawn(directory.resolve("data"), jars)) {
          KilledInstance.feedUntilKilled(process, exporter);
        }
      }
      try (Millrace last = new Millrace(config(2))) {
        last.start();
        assertThat(last.job().restored()).isPresent();
        String until = Instances.awaitWindows(last, exporter, StumblingPlugin.NAME, "second");
        Replay undisturbed = Instances.replayAll(last);
        Instances.assertSameResults(last, StumblingPlugin.NAME, undisturbed, until);
      }
    }
  }

  @Test
  void repeatedRestartsCountAsFailing() throws Exception {
    packStumbling();
    try (TestExporter exporter = new TestExporter(0x0A00000C);
        Millrace millrace = new Millrace(config(1))) {
      millrace.start();
      Await.until(
          "a job that is failing",
          () -> {
            StumblingPlugin.BLOCKS_LEFT.set(0);
            send(millrace, exporter, 5);
            return millrace.status().get("state").equals("failing");
          });
      assertThat(millrace.health().stopped())
          .singleElement()
          .asString()
          .contains("restarts repeatedly")
          .contains("stumbled");
    } finally {
      StumblingPlugin.BLOCKS_LEFT.set(-1);
    }
  }

  @Test
  void failuresAndNewStartsAtOtherParallelismsChangeNothing() throws Exception {
    packStumbling();
    int before = StumblingPlugin.FAILURES.get();
    int failures = 0;
    int[] slots = LONG ? new int[] {2, 1, 3} : new int[] {2, 3};
    try (TestExporter exporter = new TestExporter(0x0A000008)) {
      for (int start = 0; start < slots.length; start++) {
        try (Millrace millrace = new Millrace(config(slots[start]))) {
          millrace.start();
          assertThat(millrace.job().restored().isPresent()).isEqualTo(start > 0);
          for (int life = 0; life < 2; life++) {
            StumblingPlugin.BLOCKS_LEFT.set(40 + 17 * life);
            int wanted = before + ++failures;
            awaitFailure(millrace, exporter, wanted);
          }
          await("a checkpoint", millrace, () -> millrace.job().checkpoint().isPresent());
          if (start == slots.length - 1) {
            assertRight(
                millrace,
                exporter,
                StumblingPlugin.NAME,
                "second",
                """
                SELECT time_bucket(INTERVAL 1 SECOND, time) AS start, src_addr, sum(bytes)
                FROM flows WHERE {until} GROUP BY ALL ORDER BY ALL\
                """,
                """
                SELECT second, src_addr, sum(bytes) FROM bytes_by_source
                WHERE {until} GROUP BY ALL ORDER BY ALL\
                """);
            assertThat(millrace.job().failure()).isPresent();
            assertThat(millrace.health().stopped()).as("health is about now").isEmpty();
          }
        }
      }
    }
    // Removed plugin: its state is dropped, its table stays.
    try (Millrace millrace = new Millrace(withoutPlugins(2))) {
      millrace.start();
      assertThat(millrace.job().restored()).isPresent();
      assertThat(millrace.store().resultTables()).contains(StumblingPlugin.NAME);
      assertThat(Instances.number(millrace.store(), "SELECT count(*) FROM bytes_by_source"))
          .isPositive();
    }
  }
}
