package io.millrace.server.flight;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.server.api.HttpServer;
import io.millrace.server.api.SqlEndpoint;
import io.millrace.store.ResultTable;
import io.millrace.store.StoreConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Addresses of the whole address space are unchanged in all output forms of all protocols. {@code
 * -Dmillrace.addresses.seed=N} selects others.
 */
class AddressFormsTest {
  private static final long SEED = Long.getLong("millrace.addresses.seed", 8000);
  private static final int RANDOM = 200;
  private static final List<String> EDGES =
      List.of("0.0.0.0", "255.255.255.255", "7fff::", "8000::", "fd00::1", "fe80::1", "ff02::1");
  private static final String QUESTION = "SELECT host FROM hosts ORDER BY n";
  private static final TableSchema HOSTS =
      TableSchema.builder().number("n").address("host").build();

  @TempDir static Path directory;
  private static FlightInstance instance;
  private static HttpServer http;
  private static List<String> texts;

  @BeforeAll
  static void start() throws Exception {
    instance = FlightInstance.start(directory);
    TableBlock block = block();
    ResultTable table = instance.store().results("hosts", HOSTS, List.of());
    try (BlockSink<TableBlock, Long> writer = table.writer(table.token())) {
      writer.append(block);
      writer.flush();
    }
    http =
        new HttpServer(FlightInstance.onLoopback())
            .route(
                "POST", "/api/v1/sql", new SqlEndpoint(instance.store(), StoreConfig.defaults()));
    http.start();
  }

  private static TableBlock block() {
    Random random = new Random(SEED);
    TableBlock block = new TableBlock(HOSTS, EDGES.size() + RANDOM);
    texts = new ArrayList<>();
    long[] address = new long[2];
    for (int row = 0; row < block.capacity(); row++) {
      if (row < EDGES.size()) {
        assertThat(Addresses.parse(EDGES.get(row), address)).isTrue();
      } else {
        address[0] = random.nextLong() >> random.nextInt(64);
        address[1] = random.nextLong() >>> random.nextInt(64) | 1; // never the one that is NULL
      }
      block.longs(0)[row] = row;
      block.addressHigh(1)[row] = address[0];
      block.addressLow(1)[row] = address[1];
      texts.add(Addresses.toText(address[0], address[1]));
    }
    block.rows(block.capacity());
    return block;
  }

  @AfterAll
  static void stop() {
    http.close();
    instance.close();
  }

  private static byte[] ask(String sql, String format) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(http.url() + "/api/v1/sql"))
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"sql\": \"%s\", \"format\": \"%s\"}".formatted(sql, format)))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofByteArray()).body();
  }

  @Test
  void inJson() throws Exception {
    List<String> found = new ArrayList<>();
    for (JsonNode row : new ObjectMapper().readTree(ask(QUESTION, "json")).path("rows")) {
      found.add(row.path(0).asText());
    }
    assertThat(found).isEqualTo(texts);
  }

  @Test
  void inCsv() throws Exception {
    List<String> lines = new String(ask(QUESTION, "csv"), StandardCharsets.UTF_8).lines().toList();
    assertThat(lines.subList(1, lines.size())).isEqualTo(texts);
  }

  @Test
  void inArrow() throws Exception {
    List<String> found = new ArrayList<>();
    try (RootAllocator memory = new RootAllocator();
        ArrowStreamReader reader =
            new ArrowStreamReader(new ByteArrayInputStream(ask(QUESTION, "arrow")), memory)) {
      while (reader.loadNextBatch()) {
        FieldVector hosts = reader.getVectorSchemaRoot().getVector("host");
        for (int row = 0; row < hosts.getValueCount(); row++) {
          found.add(hosts.getObject(row).toString());
        }
      }
    }
    assertThat(found).isEqualTo(texts);
  }

  @Test
  void overFlightAlsoAsParameters() throws Exception {
    try (Connection connection = instance.connect()) {
      try (ResultSet rows = connection.createStatement().executeQuery(QUESTION)) {
        List<String> found = new ArrayList<>();
        while (rows.next()) {
          found.add(rows.getString(1));
        }
        assertThat(found).isEqualTo(texts);
      }
      try (PreparedStatement one =
          connection.prepareStatement("SELECT count(*) FROM hosts WHERE host = ?")) {
        for (String text : EDGES) {
          one.setString(1, text);
          try (ResultSet count = one.executeQuery()) {
            assertThat(count.next()).isTrue();
            assertThat(count.getLong(1)).as(text).isEqualTo(1);
          }
        }
      }
    }
  }
}
