package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.pulse.ChildProcess;
import io.millrace.server.replay.Replay;
import io.millrace.testing.Await;
import io.millrace.traffic.quota.QuotaTrace;
import io.millrace.traffic.voice.VoiceTrace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process with the jobs quota, voice and trends is killed repeatedly, and resumes with another
 * number of subtasks. Signals, commands and trends equal those of an undisturbed run over the same
 * log, and each is in its topic once. Each process is killed while it emits results.
 */
class RulesKillTest {
  private static final int LIVES = Boolean.getBoolean("millrace.long") ? 5 : 1;
  private static final int MAX_MILLIS_GIVING = 1_000;
  private static final long MINUTE = 60_000_000;
  private static final long START = 1_700_000_000_000_000L - 1_700_000_000_000_000L % MINUTE;

  /**
   * Results are compared from here: the first bucket of trends depends on which of several
   * unordered records arrives first.
   */
  private static final long FROM = START + 10 * MINUTE;

  /** Delay of results, in minutes, which equals the allowed lateness. */
  private static final long BEHIND = 30;

  /** Minutes of records per process until it emits results. */
  private static final long MINUTES = 15;

  private static final int SUBSCRIBERS = 300;
  private static final int CONTROLLERS = 10;
  private static final int KEYWORDS = 20;

  private static final List<Results> RESULTS =
      List.of(
          new Results(
              "quota",
              "signals",
              "signals",
              "time",
              "epoch_us(time), msisdn, rule, quota_limit, quota_used, epoch_us(usage_time)"),
          new Results(
              "voice",
              "voice_commands",
              "commands",
              "time",
              "epoch_us(time), controller, command, bytes, in_use"),
          new Results(
              "trends",
              "trends",
              "rising",
              "bucket",
              "epoch_us(bucket), keyword, count, expectation, lower, upper, score, kind, series,"
                  + " stage, epoch_us(bucket_end)"));

  @TempDir private Path dir;
  private final Random random = new Random(20_261_122);
  private final QuotaTrace quota = new QuotaTrace(SUBSCRIBERS, START, 2, 1);
  private final VoiceTrace voice = new VoiceTrace(CONTROLLERS, START, 2, 1);
  private long sent; // minutes

  @Test
  void resultsAreThoseOfAnUndisturbedRun() throws Exception {
    writeCells();
    LogConfig logConfig = LogConfig.defaults();
    try (EmbeddedLog log = new EmbeddedLog(logConfig, dir.resolve("log"))) {
      log.start();
      LogTopics topics = new LogTopics(log, logConfig);
      KilledRules.TOPICS.forEach(topics::ensure);
      String servers = log.bootstrapServers();
      send(servers, BEHIND);
      for (int life = 1; life <= LIVES; life++) {
        live(servers, 1 + life % 2);
      }
      long until = START + sent * MINUTE;
      send(servers, 2 * BEHIND); // the watermark passes all that counts
      try (Millrace last = new Millrace(KilledRules.config(dir.resolve("data"), servers, 1))) {
        last.start();
        for (Results each : RESULTS) {
          check(last, servers, each, until);
        }
      }
    }
  }

  /**
   * Location of a pipeline's results.
   *
   * @param time name of the time column
   * @param columns columns in SQL, formatted as in the topic
   */
  private record Results(String pipeline, String table, String topic, String time, String columns) {
    /**
     * Columns of the messages in the topic that are within the compared time, formatted as rows.
     */
    List<String> messages(String servers, long until) {
      return Instances.messages(servers, topic).stream()
          .filter(each -> each.path(time).asLong() >= FROM && each.path(time).asLong() <= until)
          .map(
              each ->
                  StreamSupport.stream(each.spliterator(), false)
                      .skip(1) // the id
                      .map(JsonNode::asText)
                      .collect(Collectors.joining(" ")))
          .sorted()
          .toList();
    }
  }

  /** Compares rows of the table, of a replay's table and of the topic. */
  private void check(Millrace millrace, String servers, Results results, long until)
      throws Exception {
    String table = results.table();
    Replay replay =
        millrace.replays().start(results.pipeline(), Instant.EPOCH, Instant.now().plusSeconds(60));
    Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
    assertThat(replay.failure()).isNull();
    String counting =
        " FROM %s WHERE epoch_us(" + results.time() + ") BETWEEN " + FROM + " AND " + until;
    String sql = "SELECT *" + counting + " ORDER BY ALL";
    List<String> truth =
        Instances.rows(millrace.store(), sql.formatted(replay.name() + "_" + table));
    assertThat(truth).hasSizeGreaterThan(3);
    Await.until(
        "rows of " + table,
        () -> Instances.rows(millrace.store(), sql.formatted(table)).size() >= truth.size());
    assertThat(Instances.rows(millrace.store(), sql.formatted(table))).isEqualTo(truth);
    Await.until(
        "messages of " + results.topic(),
        () -> results.messages(servers, until).size() >= truth.size());
    String columns = "SELECT " + results.columns() + counting.formatted(table);
    assertThat(results.messages(servers, until))
        .isEqualTo(
            Instances.rows(millrace.store(), columns).stream()
                .map(row -> row.replaceAll(" -(?= |$)", "")) // a message has no nulls
                .sorted()
                .toList());
  }

  private void writeCells() throws Exception {
    var unused = Files.writeString(dir.resolve("cells.csv"), VoiceTrace.cellsText(CONTROLLERS));
  }

  /** Runs a process while records arrive, and kills it at any moment after its first new result. */
  private void live(String servers, int subtasks) throws Exception {
    try (ChildProcess process =
        KilledInstance.spawn(
            KilledRules.class,
            List.of(dir.resolve("data").toString(), servers, Integer.toString(subtasks)))) {
      String line = process.readLine();
      while (line != null && !line.equals("up")) {
        line = process.readLine();
      }
      assertThat(line).as("it came up").isNotNull();
      int before = given(servers);
      send(servers, MINUTES);
      Await.until("new results", () -> given(servers) > before);
      CompletableFuture.delayedExecutor(random.nextInt(MAX_MILLIS_GIVING), TimeUnit.MILLISECONDS)
          .execute(process::kill);
      while (process.isAlive()) { // there are always results that no checkpoint covers yet
        send(servers, 1);
      }
      while (process.readLine() != null) {
        // until it is killed
      }
      assertThat(process.status()).as("killed, not failed").isEqualTo(ChildProcess.KILLED);
    }
  }

  /** Number of messages in all topics. */
  private static int given(String servers) {
    return RESULTS.stream().mapToInt(each -> each.messages(servers, Long.MAX_VALUE).size()).sum();
  }

  /** Sends the records of the next minutes of both traces. */
  private void send(String servers, long minutes) {
    sent += minutes;
    long until = START + sent * MINUTE;
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers, "acks", "all"),
            new StringSerializer(),
            new StringSerializer())) {
      while (quota.moment() < until || voice.moment() < until) {
        if (quota.moment() < voice.moment()) {
          quota.next();
          var unused = producer.send(quota.isUsage() ? usage() : streaming());
          unused = producer.send(keyword());
        } else {
          voice.next();
          var unused = producer.send(voice.isMessage() ? message() : channels());
        }
      }
    }
  }

  private ProducerRecord<String, String> usage() {
    return record(
        KilledRules.USAGE,
        quota.msisdn(),
        "{\"time\":%d,\"msisdn\":%d,\"quota_limit\":%d,\"quota_used\":%d}"
            .formatted(quota.time() / 1_000, quota.msisdn(), QuotaTrace.LIMIT, quota.used()));
  }

  private ProducerRecord<String, String> streaming() {
    return record(
        KilledRules.STREAMING,
        quota.msisdn(),
        "{\"time\":%d,\"msisdn\":%d}".formatted(quota.time() / 1_000, quota.msisdn()));
  }

  /** A keyword record, with the number of a subscriber as the keyword. */
  private ProducerRecord<String, String> keyword() {
    long keyword = quota.msisdn() % KEYWORDS;
    return record(
        KilledRules.KEYWORDS,
        keyword,
        "{\"time\":%d,\"keyword\":\"page %d\"}".formatted(quota.time() / 1_000, keyword));
  }

  private ProducerRecord<String, String> message() {
    return record(
        KilledRules.MESSAGES,
        voice.msisdn(),
        "{\"time\":%d,\"msisdn\":%d,\"area\":%d,\"cell\":%d,\"bytes\":%d}"
            .formatted(
                voice.time() / 1_000, voice.msisdn(), voice.area(), voice.cell(), voice.bytes()));
  }

  private ProducerRecord<String, String> channels() {
    return record(
        KilledRules.CHANNELS,
        voice.controller(),
        "{\"time\":%d,\"controller\":%d,\"in_use\":%s}"
            .formatted(voice.time() / 1_000, voice.controller(), voice.inUse()));
  }

  private static ProducerRecord<String, String> record(String topic, long key, String value) {
    return new ProducerRecord<>(topic, Long.toString(key), value);
  }
}
