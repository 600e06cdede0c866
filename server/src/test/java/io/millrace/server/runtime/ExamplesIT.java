package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.job.FlinkConfig;
import io.millrace.engine.job.StepConfig;
import io.millrace.pipelines.plugins.PluginsConfig;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.server.replay.Replay;
import io.millrace.testing.Await;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The plugins below {@code examples} in one instance: their rows equal SQL on the flows, and, row
 * by row, an undisturbed run over the same log.
 */
class ExamplesIT {
  private static final Map<String, String> TESTS =
      Map.of(
          ExamplePlugins.PACKETS_BY_COUNTRY,
          "org.example.country.CountryCounterTest",
          "subscriber-traffic",
          "org.example.subscriber.SubscriberJoinTest",
          "country-surges",
          "org.example.surge.SurgeFinderTest");
  private static final String SECOND_OF_SUMS = "window_end - INTERVAL 1 SECOND";

  @TempDir private Path directory;
  private final HttpClient http = HttpClient.newHttpClient();

  private MillraceConfig config() throws Exception {
    Path jars = Files.createDirectories(directory.resolve("plugins"));
    for (Map.Entry<String, String> example : TESTS.entrySet()) {
      String name = example.getKey();
      Path classes = ExamplePlugins.compile(name, directory.resolve("classes-" + name));
      runTests(classes, example.getValue());
      ExamplePlugins.pack(name, classes, jars);
    }
    Path table = directory.resolve("countries.csv");
    Files.writeString(table, "1.0.0.0,1.0.0.255,XA\n8.0.0.0,8.0.0.7,XB\n");
    Duration second = Duration.ofSeconds(1);
    MillraceConfig config =
        Instances.config(directory.resolve("data"))
            .withSection(
                FlinkConfig.defaults()
                    .withSlots(2)
                    .withCheckpointInterval(Duration.ofMillis(300))
                    .withSteps(
                        Map.of(
                            "packets-by-country", new StepConfig(OptionalInt.of(3), null),
                            "country-surges", new StepConfig(OptionalInt.of(1), "surges"))))
            .withSection(
                IngestConfig.OFF.withListen(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
            .withSection(PluginsConfig.NONE.withWatermarkDelay(Instances.WATERMARK_DELAY))
            .withPlugins(jars);
    config =
        ExamplePlugins.configure(
            config, "packets_by_country", Map.of("table", table, "window", second));
    config = ExamplePlugins.configure(config, "subscriber_traffic", Map.of("window", second));
    return ExamplePlugins.configure(
        config, "country_surges", Map.of("window", second, "topic", "surges"));
  }

  /** Runs tests without a framework: a temporary directory and a call of each test. */
  private void runTests(Path classes, String name) throws Exception {
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
      Class<?> type = loader.loadClass(name);
      Constructor<?> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      int tests = 0;
      for (Method method : type.getDeclaredMethods()) {
        if (method.isAnnotationPresent(Test.class)) {
          Object test = constructor.newInstance();
          for (Field field : type.getDeclaredFields()) {
            if (field.isAnnotationPresent(TempDir.class)) {
              field.setAccessible(true);
              field.set(test, directory);
            }
          }
          method.setAccessible(true);
          method.invoke(test);
          tests++;
        }
      }
      assertThat(tests).isPositive();
    }
  }

  private String request(HttpRequest.Builder request) throws Exception {
    HttpResponse<String> response =
        http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isLessThan(300);
    return response.body();
  }

  private String get(Millrace millrace, String path) throws Exception {
    return request(HttpRequest.newBuilder(URI.create(millrace.url() + path)));
  }

  /** Logs subscribers in: the last number of an address identifies the subscriber. */
  private void logIn(Millrace millrace) throws Exception {
    StringBuilder logins = new StringBuilder();
    for (int i = 0; i < 256; i++) {
      logins.append(
          "{\"time\":%d,\"address\":\"1.0.0.%d\",\"subscriber\":%d}\n"
              .formatted(System.currentTimeMillis(), i, 1 + i % 3));
    }
    request(
        HttpRequest.newBuilder(URI.create(millrace.ingest().orElseThrow().url() + "/ingest/logins"))
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString(logins.toString())));
    Await.until(
        "the logins",
        () -> millrace.job().counters().getOrDefault("subscriber-traffic-join.rowsIn", 0L) >= 256);
  }

  /** Compares a table with SQL on the flows. */
  private static void assertRight(
      Millrace millrace, String until, String fromFlows, String fromResults) {
    String untilOfFlows = until.replaceAll("epoch\\(.*\\) <=", "epoch(start) <=");
    List<String> expected =
        Instances.rows(millrace.store(), fromFlows.replace("{until}", untilOfFlows));
    assertThat(expected).isNotEmpty();
    assertThat(Instances.rows(millrace.store(), fromResults.replace("{until}", until)))
        .isEqualTo(expected);
  }

  private static void assertCountriesAreRight(Millrace millrace, String until) {
    assertRight(
        millrace,
        until,
        """
        SELECT time_bucket(INTERVAL 1 SECOND, time) AS start,
          CASE WHEN src_addr LIKE '1.%' THEN 'XA'
            WHEN split_part(src_addr, '.', 4)::INT < 8 THEN 'XB' ELSE '??' END AS country,
          sum(packets * sampling_rate)
        FROM flows WHERE {until} GROUP BY ALL ORDER BY ALL\
        """,
        """
        SELECT minute, country, sum(packets) FROM packets_by_country
        WHERE {until} GROUP BY ALL ORDER BY ALL\
        """);
  }

  private static void assertSubscribersAreRight(Millrace millrace, String until) {
    assertRight(
        millrace,
        until,
        """
        SELECT time_bucket(INTERVAL 1 SECOND, time) AS start,
          split_part(src_addr, '.', 4)::INT % 3 + 1, count(*), sum(bytes * sampling_rate)
        FROM flows WHERE {until} AND src_addr LIKE '1.%' GROUP BY ALL ORDER BY ALL\
        """,
        """
        SELECT window_end - INTERVAL 1 SECOND, subscriber, row_count, bytes
        FROM subscriber_traffic WHERE {until} ORDER BY ALL\
        """);
  }

  @Test
  void tablesEqualSqlAndAnUndisturbedRun() throws Exception {
    MillraceConfig config = config();
    try (TestExporter exporter = new TestExporter(0x0A000007)) {
      try (Millrace millrace = new Millrace(config)) {
        millrace.start();
        logIn(millrace);
        exporter.send(Instances.udp(millrace), 20);
        assertCountriesAreRight(
            millrace, Instances.awaitWindows(millrace, exporter, "packets_by_country", "minute"));
        exporter.send(Instances.udp(millrace), 3_000);
        assertSubscribersAreRight(
            millrace,
            Instances.awaitWindows(millrace, exporter, "subscriber_traffic", SECOND_OF_SUMS));
        surgesAreEverywhere(millrace);
        Await.until("a checkpoint", () -> millrace.job().checkpoint().isPresent());
      }
      try (Millrace millrace = new Millrace(config)) {
        millrace.start();
        assertThat(millrace.job().restored()).isPresent();
        exporter.send(Instances.udp(millrace), 20);
        String until =
            Instances.awaitWindows(millrace, exporter, "subscriber_traffic", SECOND_OF_SUMS);
        assertSubscribersAreRight(millrace, until);
        Replay replay = Instances.replayAll(millrace);
        Instances.assertSameResults(millrace, "subscriber_traffic", replay, until);
        Instances.assertSameResults(
            millrace, "packets_by_country", replay, until.replace(SECOND_OF_SUMS, "minute"));
        Instances.assertSameResults(
            millrace,
            "country_surges",
            replay,
            until.replace(SECOND_OF_SUMS, "minute_end - INTERVAL 1 SECOND"));
      }
    }
  }

  private void surgesAreEverywhere(Millrace millrace) throws Exception {
    String surges = "SELECT count(*) FROM country_surges";
    Await.until("surges", () -> Instances.number(millrace.store(), surges) > 0);
    assertThat(
            Instances.number(
                millrace.store(),
                """
                SELECT count(*) FROM country_surges s ANTI JOIN packets_by_country p
                ON s.country = p.country AND s.packets = p.packets
                  AND s.minute_end = p.minute + INTERVAL 1 SECOND\
                """))
        .isZero();
    Await.until(
        "the surges in their topic",
        () ->
            Instances.messages(millrace, "surges").size()
                == Instances.number(millrace.store(), surges));
    assertThat(get(millrace, "/api/v1/country_surges?n=1")).contains("\"country\":");
    assertThat(get(millrace, "/api/v1/openapi.yaml")).contains("/api/v1/country_surges:");
    assertThat(get(millrace, "/pipelines/country_surges.js")).contains("\"Country surges\"");
    assertThat(get(millrace, "/metrics"))
        .contains("\nmillrace_stream_records_total{stream=\"logins\",result=\"in\"} 256\n");
  }
}
