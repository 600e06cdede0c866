package io.millrace.pipelines.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.flows.FlowJoiner;
import io.millrace.pulse.ChildProcess;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Interoperability: Kafka's Python client with the libraries of protobuf, Avro and Arrow, and the
 * printed schemas, reads the same rows.
 */
class KafkaClientsIT {
  private static final Path VENV = Path.of("target", "kafka-clients");
  private static final Path PYTHON = VENV.resolve("bin").resolve("python");

  private static final Path SCRIPT = Path.of("src", "test", "python", "read_topic.py");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int ROWS = 500;
  private static final int SMALL_BATCH = 128;

  @TempDir static Path dir;
  private static EmbeddedLog kafka;

  @BeforeAll
  static void start() throws Exception {
    if (Boolean.getBoolean("millrace.release") && !Files.isExecutable(PYTHON)) {
      ChildProcess.check("python3", "-m", "venv", "" + VENV);
      ChildProcess.check(
          "" + VENV.resolve("bin/pip"),
          "install",
          "confluent-kafka",
          "protobuf",
          "grpcio-tools",
          "fastavro",
          "pyarrow");
    }
    Assumptions.assumeTrue(
        Files.isExecutable(PYTHON),
        "no Python with Kafka's client: ./millrace test pipelines --only --release");
    kafka = new EmbeddedLog(LogConfig.defaults(), dir.resolve("kafka"));
    kafka.start();
  }

  @AfterAll
  static void stop() {
    if (kafka != null) {
      kafka.close();
    }
  }

  private static Map<String, DatasetDeclaration> datasets() throws Exception {
    Path networks =
        Files.writeString(
            dir.resolve("as.csv"), "10.0.0.0,10.0.0.127,64500,\"A \"\"quoted\"\" \u00fcber AS\"\n");
    Map<String, DatasetDeclaration> sets = new LinkedHashMap<>();
    sets.put("asn", DatasetDeclaration.of(networks.toString()));
    return sets;
  }

  /** Every second row is IPv6, and one in three has more columns than sampled packets do. */
  private static FlowBlock block() {
    FlowBlock block = new FlowBlock(ROWS);
    block.logPosition(1, 1L << 35);
    for (int row = 0; row < ROWS; row++) {
      block.longs(FlowColumn.TIME)[row] = 1_700_000_000_000_000L + row;
      boolean v4 = row % 2 == 0;
      for (FlowColumn column : FlowColumn.ALL) {
        if (column.type() == FlowColumn.Type.ADDRESS && !column.optional()) {
          block.addressHigh(column)[row] = v4 ? 0 : 0x2001_0DB8L << 32;
          block.addressLow(column)[row] = v4 ? Addresses.v4Low(0x0A00_0000 + row % 256) : row + 1;
        } else if (column.type().isInt() && !column.optional()) {
          block.ints(column)[row] = row % 5 == 0 ? FlowBlock.NULL : 17 + row % 100;
        } else if (column.type() == FlowColumn.Type.U64) {
          block.longs(column)[row] = 1 + ((long) row << 33);
        } else if (row % 3 == 0 && column.type().isInt()) {
          block.ints(column)[row] = 1 + row % 30;
        } else if (row % 3 == 0 && column.type().isLong() && column.optional()) {
          block.longs(column)[row] = (1L << 40) + row;
        }
      }
      block.ints(FlowColumn.PROTO)[row] = 17;
      block.logIndex()[row] = row;
    }
    block.rows(ROWS);
    return block;
  }

  private static FlowBlock joined(Map<String, DatasetDeclaration> sets) throws Exception {
    FlowBlock[] joined = new FlowBlock[1];
    FlowJoiner joiner = new FlowJoiner(DatasetDeclaration.toConfigs(sets));
    joiner.open(AnalyzerContext.alone());
    joiner.process(block(), out -> joined[0] = out);
    joiner.close();
    return joined[0];
  }

  @ParameterizedTest
  @EnumSource(OutFormat.class)
  void externalReadersSeeTheRows(OutFormat format) throws Exception {
    String label = format.name().toLowerCase(Locale.ROOT).replace('_', '-');
    new LogTopics(kafka, LogConfig.defaults()).ensure(label);
    Map<String, DatasetDeclaration> sets = datasets();
    KafkaOutConfig config = KafkaOutConfig.NONE.withTopic(label).withFormat(format, SMALL_BATCH);
    Path schema =
        Files.writeString(
            dir.resolve(label + ".schema"), format.schema(KafkaOut.columns(config, sets)));
    List<byte[]> messages = new ArrayList<>();
    List<byte[]> json = new ArrayList<>();
    FlowBlock block = joined(sets);
    try (BlockMessages encoder = new BlockMessages(config, sets);
        BlockMessages reference = new BlockMessages(config.withFormat(OutFormat.JSON, 1), sets)) {
      encoder.encode(block, messages::add);
      reference.encode(block, json::add);
    }
    int max = format.holdsMany() ? SMALL_BATCH : 1;
    assertThat(messages).hasSize((ROWS + max - 1) / max);
    produce(label, messages);

    List<JsonNode> expected = new ArrayList<>();
    for (byte[] row : json) {
      expected.add(JSON.readTree(row));
    }
    List<JsonNode> read = read(label, schema);
    if (schema.toString().contains("protobuf")) {
      assertProtobuf(read, expected);
    } else {
      assertThat(read).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  /** By GoFlow2's names, without zeros; compares one row of each kind. */
  private static void assertProtobuf(List<JsonNode> read, List<JsonNode> expected) {
    Map<String, String> names =
        Map.ofEntries(
            Map.entry("time_received_ns", "time"),
            Map.entry("sampler_address", "exporter"),
            Map.entry("src_addr", "src_addr"),
            Map.entry("dst_addr", "dst_addr"),
            Map.entry("bytes", "bytes"),
            Map.entry("ip_tos", "tos"),
            Map.entry("src_mac", "src_mac"),
            Map.entry("src_as", "src_as"),
            Map.entry("src_as_name", "src_as_name"),
            Map.entry("mpls_label", "mpls_label"),
            Map.entry("nat_src_port", "nat_src_port"),
            Map.entry("time_flow_start_ns", "flow_start"),
            Map.entry("log_offset", "log_offset"),
            Map.entry("log_index", "log_index"));
    assertThat(read).hasSameSizeAs(expected);
    Map<Long, JsonNode> byTime = new LinkedHashMap<>();
    read.forEach(row -> byTime.put(row.get("time_received_ns").asLong(), row));
    for (JsonNode row : expected) {
      JsonNode other = byTime.get(row.get("time").asLong());
      names.forEach(
          (field, column) -> {
            String value = row.path(column).asText();
            if (column.equals("src_as") && value.isEmpty()) {
              value = row.path("exporter_src_as").asText();
            }
            String text = other.path(field).asText();
            if (column.equals("src_mac") && !text.isEmpty()) {
              text = String.format("%012x", Long.parseLong(text)).replaceAll("(..)(?!$)", "$1:");
            }
            assertThat(text.isEmpty() ? "0" : text)
                .as(field)
                .isEqualTo(value.isEmpty() ? "0" : value);
          });
    }
  }

  private static void produce(String topic, List<byte[]> messages) {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (byte[] message : messages) {
        var unused = producer.send(new ProducerRecord<>(topic, message));
      }
    }
  }

  private static List<JsonNode> read(String format, Path schema) throws Exception {
    Path out = dir.resolve(format + ".out");
    Path errors = dir.resolve(format + ".err");
    Process process =
        new ProcessBuilder(
                PYTHON.toString(),
                SCRIPT.toString(),
                kafka.bootstrapServers(),
                format,
                format,
                schema.toString())
            .redirectOutput(out.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
    } finally {
      process.destroyForcibly();
    }
    List<JsonNode> rows = new ArrayList<>();
    for (String line : Files.readAllLines(out, StandardCharsets.UTF_8)) {
      rows.add(JSON.readTree(line));
    }
    Collections.shuffle(rows);
    return rows;
  }
}
