package io.millrace.cli.gateways;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineRun;
import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.LogWriter;
import io.millrace.pulse.FreePort;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.server.ingest.IngestServer;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code generate gateways} and {@code send gateways} against a server with an embedded log. */
class GatewayCommandsIT {
  private static final String TOPIC = "gateways";
  private static final String NEWS = "news";
  private static final String RECORD =
      "{\"gateway_id\": \"gw-1\", \"date\": 1700000000000, \"ipTx\": 1, \"ipRx\": 2}\n";

  @TempDir static Path dir;
  private static EmbeddedLog log;
  private static LogWriter writer;
  private static LogWriter news;
  private static IngestServer server;

  @BeforeAll
  static void start() throws IOException {
    LogConfig config =
        LogConfig.defaults().withPartitions(2).withRetention(64 << 20, Duration.ofHours(1));
    log = new EmbeddedLog(config, dir.resolve("log"));
    log.start();
    var unused = new LogTopics(log, config).ensure(TOPIC);
    writer = new LogWriter(log.bootstrapServers(), TOPIC, config);
    server =
        new IngestServer(
            IngestConfig.OFF.withListen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    server.addStream(
        GatewayRecords.SCHEMA, writer, log.bootstrapServers(), TOPIC, dir.resolve("frames"));
    var unusedNews = new LogTopics(log, config).ensure(NEWS);
    news = new LogWriter(log.bootstrapServers(), NEWS, config);
    server.addStream(
        new RecordSchema(
            NEWS,
            List.of(Field.time("time"), Field.text("word", 1, 20), Field.number("count", 0, 9)),
            "time",
            "word"),
        news,
        log.bootstrapServers(),
        NEWS,
        dir.resolve("frames-news"));
    server.start();
  }

  @AfterAll
  static void stop() {
    server.close();
    writer.close();
    news.close();
    log.close();
  }

  private static CommandLineRun generate(String file, String... more) {
    return run(List.of("generate", "gateways", dir.resolve(file).toString()), more);
  }

  private static CommandLineRun send(String file, String... more) {
    return run(List.of("send", "gateways", dir.resolve(file).toString()), more);
  }

  private static CommandLineRun run(List<String> words, String... more) {
    return CommandLineRun.of(Stream.concat(words.stream(), Stream.of(more)).toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({
    "day.ndjson, json, http, json, 1",
    "day.ndjson.gz, json, http, avro, 20",
    "day.avro, avro, websocket, json, 20",
    "day.avro.gz, avro, websocket, avro, 1"
  })
  void whatIsGeneratedIsSent(
      String file, String written, String protocol, String encoding, String batch) {
    CommandLineRun made =
        generate(file, "--gateways", "10", "--minutes", "20", "--encoding", written);
    assertThat(made.status()).as(made.err()).isZero();
    String records = made.err().replaceAll("(?s)millrace: (\\d+) records of 10 gateways.*", "$1");
    long before = server.streamCounts().get("gateways").recordsLogged();

    CommandLineRun sent =
        send(
            file,
            "--url",
            server.url(),
            "--speedup",
            "max",
            "--protocol",
            protocol,
            "--encoding",
            encoding,
            "--batch",
            batch);

    assertThat(sent.status()).as(sent.err()).isZero();
    assertThat(sent.err()).startsWith("millrace: " + records + " records acknowledged in ");
    assertThat(server.streamCounts().get("gateways").recordsLogged() - before)
        .isEqualTo(Long.parseLong(records));
  }

  @Test
  void filesOfAStreamAreSentAndInvalidRecordsReported() throws IOException {
    String line = "{\"time\":1700000000000,\"word\":\"a\",\"count\":1}\n";
    Files.writeString(dir.resolve("first.ndjson"), line.repeat(20_000));
    try (OutputStream out =
        new GZIPOutputStream(Files.newOutputStream(dir.resolve("second.ndjson.gz")))) {
      out.write((line + "\n" + line.replace(":1}", ":10}") + line).getBytes(UTF_8));
    }
    CommandLineRun sent =
        run(
            List.of("ingest", NEWS),
            dir.resolve("first.ndjson").toString(),
            dir.resolve("second.ndjson.gz").toString(),
            "--url",
            server.url());
    assertThat(sent.err())
        .startsWith("millrace: 20002 records acknowledged in ")
        .contains("1 records rejected, the first: count: expected a whole number from 0 to 9");
    assertThat(sent.status()).isEqualTo(1);
    assertThat(server.streamCounts().get(NEWS).recordsLogged()).isEqualTo(20_002);
    CommandLineRun unknown =
        run(
            List.of("ingest", "olds"),
            dir.resolve("first.ndjson").toString(),
            "--url",
            server.url());
    assertThat(unknown.status()).isNotZero();
    assertThat(unknown.err()).contains("expected one of gateways, news");
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream(line.repeat(3).getBytes(UTF_8)));
      assertThat(run(List.of("ingest", NEWS), "-", "--url", server.url()).status()).isZero();
    } finally {
      System.setIn(before);
    }
    assertThat(server.streamCounts().get(NEWS).recordsLogged()).isEqualTo(20_005);
  }

  /** Two minutes at 1,200 times their pace take a tenth of a second. */
  @Test
  void recordsKeepTheirPace() throws IOException {
    Files.writeString(
        dir.resolve("pace.ndjson"), RECORD + RECORD.replace("1700000000000", "1700000120000"));
    long start = System.nanoTime();
    CommandLineRun sent =
        send("pace.ndjson", "--form", "rate", "--url", server.url(), "--speedup", "1200");
    assertThat(sent.status()).as(sent.err()).isZero();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(100));
  }

  @Test
  void historyIsSentUnpaced() throws IOException {
    Files.writeString(
        dir.resolve("old.ndjson"), RECORD + RECORD.replace("1700000000000", "1700086400000"));
    for (String protocol : new String[] {"http", "websocket"}) {
      String[] more = {
        "--backfill", "--form", "rate", "--protocol", protocol, "--url", server.url()
      };
      CommandLineRun sent = send("old.ndjson", more);
      assertThat(sent.status()).as(sent.err()).isZero();
      assertThat(sent.err()).startsWith("millrace: 2 records acknowledged in ");
    }
  }

  @Test
  void errorsAreOneLine() throws IOException {
    int nobody = FreePort.any();
    Files.writeString(dir.resolve("form.ndjson"), RECORD);
    Files.writeString(dir.resolve("broken.ndjson"), RECORD + "{\"gateway_id\": \n");
    Files.writeString(dir.resolve("empty.ndjson"), "\n");
    String url = server.url();
    assertFails(send("none.ndjson", "--url", url), 1, "none.ndjson: no such file");
    assertFails(send("", "--url", url), 1, ": is a directory");
    assertFails(send("empty.ndjson", "--url", url), 1, "empty.ndjson: contains no records");
    assertFails(send("form.ndjson", "--url", url), 1, "form.ndjson: record 0, form: ", "--form");
    assertFails(
        send("broken.ndjson", "--form", "rate", "--url", url), 1, "record 1: ", "at byte 84");
    assertFails(send("form.ndjson"), 2, "--url");
    assertFails(send("form.ndjson", "--url", "127.0.0.1:80"), 2, "expected http://HOST:PORT");
    assertFails(send("form.ndjson", "--url", url, "--speedup", "0"), 2, "--speedup 0: expected");
    assertFails(send("form.ndjson", "--url", url, "--batch", "0"), 2, "at least 1");
    for (String protocol : new String[] {"http", "websocket"}) {
      String[] more = {
        "--form", "rate", "--protocol", protocol, "--url", "http://127.0.0.1:" + nobody
      };
      assertFails(send("form.ndjson", more), 1, "connection refused");
      more[5] = url.replace("http:", "https:");
      assertFails(send("form.ndjson", more), 1, "does not speak TLS");
    }
    assertFails(generate("no/file"), 1, "cannot write", "no such directory");
    assertFails(generate("x", "--gateways", "0"), 2, "gateways: 0, expected 1 to");
    assertFails(generate("x", "--start", "now"), 2, "--start now: expected a time");
    assertFails(generate("x", "--zone", "Berlin"), 2, "--zone Berlin: unknown time zone");
  }

  private static void assertFails(CommandLineRun run, int status, String... saying) {
    assertThat(run.err()).startsWith("millrace: ").contains(saying);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.status()).as(run.err()).isEqualTo(status);
  }
}
