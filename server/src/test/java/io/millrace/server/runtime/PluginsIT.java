package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.pipelines.plugins.PluginsConfig;
import io.millrace.server.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins in a whole instance: what they store is what SQL says of the flows themselves. */
class PluginsIT {
  private static final String SERVICE =
      "META-INF/services/io.millrace.analytics.plugin.FlowAnalysis";

  @TempDir private Path directory;
  private Path jars;

  @BeforeEach
  void makeDirectory() throws IOException {
    jars = Files.createDirectory(directory.resolve("plugins"));
  }

  private MillraceConfig config(int slots, Map<String, Map<String, String>> settings) {
    MillraceConfig config = Instances.config(directory.resolve("data"));
    return config
        .withJob(
            FlinkConfig.defaults().withSlots(slots).withCheckpointInterval(Duration.ofMillis(300)))
        .withPlugins(PluginsConfig.NONE.withDirectory(jars).withSettings(settings));
  }

  private static void send(Millrace millrace, TestExporter exporter, int datagrams) {
    try {
      exporter.send(Instances.udp(millrace), datagrams);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends on until event time has passed what was sent before, and compares that. */
  private static void awaitSame(
      Millrace millrace, TestExporter exporter, String fromFlows, String fromResults) {
    Instances.drain(millrace);
    long last =
        Instances.number(millrace.store(), "SELECT max(epoch_us(time)) // 1000000 FROM flows")
            * 1_000_000;
    String until = String.valueOf(last);
    List<String> expected = Instances.rows(millrace.store(), fromFlows.replace("{until}", until));
    assertThat(expected).isNotEmpty();
    String actual = fromResults.replace("{until}", until);
    String later =
        fromResults.substring(fromResults.indexOf("FROM "), fromResults.indexOf(" WHERE"))
            + " WHERE epoch_us(start) > "
            + until;
    Await.until(
        "rows of windows behind those that count",
        () -> {
          send(millrace, exporter, 1);
          return Instances.number(millrace.store(), "SELECT count(*) " + later) > 0;
        });
    assertThat(Instances.rows(millrace.store(), actual)).isEqualTo(expected);
  }

  @Test
  void theExampleCountsWhatSqlCounts() throws Exception {
    Path classes = ExamplePlugin.compile(directory.resolve("classes"));
    runItsOwnTests(classes);
    ExamplePlugin.pack(classes, jars.resolve("packets-by-country.jar"));
    Path table = directory.resolve("countries.csv");
    Files.writeString(table, "1.0.0.0,1.0.0.99,XA\n1.0.0.100,1.0.0.255,XB\n8.0.0.0,8.0.0.7,XA\n");
    Map<String, String> settings = Map.of("table", table.toString(), "seconds", "1");
    try (Millrace millrace = new Millrace(config(2, Map.of("packets_by_country", settings)));
        TestExporter exporter = new TestExporter(0x0A000007)) {
      millrace.start();
      exporter.send(Instances.udp(millrace), 2_000);
      awaitSame(
          millrace,
          exporter,
          """
          SELECT time_bucket(INTERVAL 1 SECOND, time) AS start,
            CASE WHEN in_subnet(ip(src_addr), '1.0.0.0/8')
              THEN CASE WHEN split_part(src_addr, '.', 4)::INT < 100 THEN 'XA' ELSE 'XB' END
              WHEN split_part(src_addr, '.', 4)::INT < 8 THEN 'XA' ELSE '??' END AS country,
            sum(packets * sampling_rate)
          FROM flows WHERE epoch_us(start) <= {until} GROUP BY ALL ORDER BY ALL""",
          """
          SELECT start, country, sum(packets) FROM (SELECT minute AS start, * FROM \
          packets_by_country) WHERE epoch_us(start) <= {until} GROUP BY ALL ORDER BY ALL""");
    }
  }

  /** Without a test framework's help: a temporary directory and a call of each test. */
  private void runItsOwnTests(Path classes) throws Exception {
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
      Class<?> type = loader.loadClass("org.example.country.CountryCounterTest");
      Constructor<?> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      int tests = 0;
      for (Method method : type.getDeclaredMethods()) {
        if (method.isAnnotationPresent(Test.class)) {
          Object test = constructor.newInstance();
          Field temporary = type.getDeclaredField("directory");
          temporary.setAccessible(true);
          temporary.set(test, directory);
          method.setAccessible(true);
          method.invoke(test);
          tests++;
        }
      }
      assertThat(tests).isPositive();
    }
  }

  @Test
  void failuresAndNewStartsAtOtherParallelismsChangeNothing() throws Exception {
    try (OutputStream file = Files.newOutputStream(jars.resolve("stumbling.jar"));
        ZipOutputStream out = new ZipOutputStream(file)) {
      out.putNextEntry(new ZipEntry(SERVICE));
      out.write(StumblingPlugin.class.getName().getBytes(StandardCharsets.UTF_8));
    }
    int before = StumblingPlugin.FAILURES.get();
    int failures = 0;
    int[] slots = {2, 1, 3};
    try (TestExporter exporter = new TestExporter(0x0A000008)) {
      for (int start = 0; start < slots.length; start++) {
        try (Millrace millrace = new Millrace(config(slots[start], Map.of()))) {
          millrace.start();
          assertThat(millrace.restored().isPresent()).isEqualTo(start > 0);
          for (int life = 0; life < 2; life++) {
            StumblingPlugin.BLOCKS_LEFT.set(40 + 17 * life);
            int wanted = before + ++failures;
            Await.until(
                "failure " + failures,
                () -> {
                  send(millrace, exporter, 20);
                  return StumblingPlugin.FAILURES.get() >= wanted;
                });
          }
          if (start == slots.length - 1) {
            awaitSame(
                millrace,
                exporter,
                """
                SELECT time_bucket(INTERVAL 1 SECOND, time) AS start, src_addr, sum(bytes)
                FROM flows WHERE epoch_us(start) <= {until} GROUP BY ALL ORDER BY ALL""",
                """
                SELECT start, src_addr, sum(bytes) FROM (SELECT second AS start, * FROM \
                bytes_by_source) WHERE epoch_us(start) <= {until} GROUP BY ALL ORDER BY ALL""");
          }
        }
      }
    }
    // Taken out: its state is left behind, its table stays.
    MillraceConfig without = config(2, Map.of()).withPlugins(PluginsConfig.NONE);
    try (Millrace millrace = new Millrace(without)) {
      millrace.start();
      assertThat(millrace.restored()).isPresent();
      assertThat(millrace.store().resultTables()).containsExactly(StumblingPlugin.NAME);
      assertThat(Instances.number(millrace.store(), "SELECT count(*) FROM bytes_by_source"))
          .isPositive();
    }
  }
}
