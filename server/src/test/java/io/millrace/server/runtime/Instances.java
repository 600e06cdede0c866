package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.server.collect.LedgerText;
import io.millrace.server.flight.FlightConfig;
import io.millrace.server.replay.Replay;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.TableNames;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Instances for tests: loopback, free ports, frequent checkpoints, without Arrow Flight, whose
 * libraries load slowly, and without rollups, whose hundred tables are created at each start. Tests
 * that need these add their section.
 */
public final class Instances {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  /**
   * Watermark delay for tests that compare results, which late rows would change. On a busy
   * machine, an idle partition is read some seconds later than the others.
   */
  public static final Duration WATERMARK_DELAY = Duration.ofSeconds(10);

  private Instances() {}

  public static MillraceConfig config(Path data) {
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return MillraceConfig.defaults()
        .withData(data)
        .withSection(
            CollectorConfig.defaults().withListen(loopback).withReceiveBufferBytes(4 << 20))
        .withSection(
            FlinkConfig.defaults().withSlots(2).withCheckpointInterval(Duration.ofMillis(500)))
        .withSection(HttpConfig.DEFAULTS.withPort(0))
        .withSection(FlightConfig.DEFAULTS.withoutListening())
        .withSection(RollupConfig.NONE);
  }

  public static InetSocketAddress udp(Millrace millrace) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), millrace.udpPort());
  }

  /** Rows of a query, values separated by blanks; NULL is a hyphen. */
  public static List<String> rows(Store store, String sql) {
    List<String> rows = new ArrayList<>();
    try (QueryResult result = store.query(new QueryRequest(sql, TIMEOUT, 10_000_000))) {
      int columns = result.columns().size();
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 0; i < columns; i++) {
          Object value = result.value(i);
          row.append(i == 0 ? "" : " ").append(value == null ? "-" : value);
        }
        rows.add(row.toString());
      }
    }
    return rows;
  }

  public static long number(Store store, String sql) {
    return Long.parseLong(rows(store, sql).get(0));
  }

  public static void drain(Millrace millrace) {
    boolean drained = millrace.awaitDrained(TIMEOUT);
    assertThat(drained)
        .as(() -> LedgerText.of(millrace.ledger(), millrace.facts()) + "\n" + millrace.status())
        .isTrue();
  }

  /**
   * Continues to send until the watermark has passed all earlier flows, and waits until all are
   * stored.
   *
   * @param table table, or a query in parentheses
   * @param column column with the start of a window of one or more full seconds
   * @return condition on closed windows
   */
  public static String awaitWindows(
      Millrace millrace, TestExporter exporter, String table, String column) {
    drain(millrace);
    long last = number(millrace.store(), "SELECT max(epoch_us(time)) // 1000000 FROM flows");
    String later = "SELECT count(*) FROM " + table + " WHERE epoch(" + column + ") > " + last;
    Await.until(
        "rows of windows behind those that count",
        () -> {
          try {
            exporter.send(udp(millrace), 1);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          return number(millrace.store(), later) > 0;
        });
    drain(millrace);
    return "epoch(" + column + ") <= " + last;
  }

  /** Replays the whole log, undisturbed. */
  public static Replay replayAll(Millrace millrace) {
    Replay replay = millrace.replays().start("flows", Instant.EPOCH, Instant.now().plusSeconds(60));
    Await.until("the replay", () -> replay.state() != Replay.State.RUNNING);
    assertThat(replay.failure()).isNull();
    return replay;
  }

  /**
   * Asserts that a plugin's rows equal those of an undisturbed run over the same log, including
   * duplicates.
   */
  public static void assertSameResults(
      Millrace millrace, String plugin, Replay undisturbed, String condition) {
    assertSameResults(millrace, plugin, List.of(), undisturbed, condition);
  }

  /** Asserts the same without some columns. */
  public static void assertSameResults(
      Millrace millrace,
      String plugin,
      List<String> without,
      Replay undisturbed,
      String condition) {
    String columns = without.isEmpty() ? "*" : "* EXCLUDE (" + String.join(", ", without) + ")";
    String all = "SELECT " + columns + " FROM %s WHERE " + condition + " ORDER BY ALL";
    assertThat(undisturbed.resultTables())
        .contains(TableNames.ofReplay(undisturbed.name(), plugin));
    List<String> truth =
        rows(millrace.store(), all.formatted(TableNames.ofReplay(undisturbed.name(), plugin)));
    assertThat(truth).isNotEmpty();
    List<String> live = rows(millrace.store(), all.formatted(plugin));
    assertThat(difference(live, truth)).as("rows of %s that should not be there", plugin).isEmpty();
    assertThat(difference(truth, live)).as("rows that %s has not", plugin).isEmpty();
  }

  /** Asserts that rows are equal, in any order; fast for many rows. */
  static void assertSameRows(List<String> found, List<String> truth) {
    assertThat(difference(found, truth)).as("rows that should not be there").isEmpty();
    assertThat(difference(truth, found)).as("rows that are missing").isEmpty();
  }

  /** Rows minus others, as multisets. */
  private static List<String> difference(List<String> rows, List<String> others) {
    Map<String, Integer> taken = new HashMap<>();
    others.forEach(row -> taken.merge(row, 1, Integer::sum));
    return rows.stream().filter(row -> taken.merge(row, -1, Integer::sum) < 0).toList();
  }

  /** Committed messages of a topic of the log, as JSON. */
  public static List<JsonNode> messages(Millrace millrace, String topic) {
    return messages(millrace.bootstrapServers(), topic);
  }

  /** Committed messages of a topic of any log, as JSON. */
  static List<JsonNode> messages(String servers, String topic) {
    List<JsonNode> messages = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", servers, "isolation.level", "read_committed"),
            new StringDeserializer(),
            new StringDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(each -> new TopicPartition(topic, each.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      ObjectMapper json = new ObjectMapper();
      while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
        for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(100))) {
          messages.add(json.readTree(each.value()));
        }
      }
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
    return messages;
  }
}
