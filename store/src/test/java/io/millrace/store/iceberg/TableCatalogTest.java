package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.ObjectsConfig;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Frontier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses the product's class path, which has no client of Iceberg's REST protocol. */
class TableCatalogTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;

  private JsonNode snapshot(String table) throws Exception {
    JsonNode response =
        JSON.readTree(
            TableCatalog.ofStore(directory, ObjectsConfig.defaults()).table(table).orElseThrow());
    assertThat(response.path("metadata-location").asText())
        .startsWith("file://" + directory)
        .endsWith(".metadata.json");
    JsonNode metadata = response.path("metadata");
    for (JsonNode each : metadata.path("snapshots")) {
      if (each.path("snapshot-id").equals(metadata.path("current-snapshot-id"))) {
        return each;
      }
    }
    throw new AssertionError(response);
  }

  @Test
  void eachResponseHasTheNewestSnapshot() throws Exception {
    try (DuckDbStore store = new DuckDbStore(directory, StoreConfig.defaults());
        FlowWriter writer = store.table(Store.FLOWS, Flows.SCHEMA).writer()) {
      for (int offset = 0; offset < 3; offset++) {
        writer.append(Flows.joined(10, 0, offset));
        writer.flush();
        Frontier covered = new Frontier(Map.of(0, offset + 1L));
        writer.seal(offset, covered);
        writer.sync();
        writer.commit(offset, covered);
        assertThat(snapshot("flows").path("summary").path("total-records").asInt())
            .isEqualTo(10 * (offset + 1));
      }
      assertThat(snapshot("names").path("summary").path("total-records").asInt()).isEqualTo(6);
    }
  }

  @Test
  void onlyTablesAreListed() throws Exception {
    try (DuckDbStore store = new DuckDbStore(directory, StoreConfig.defaults())) {
      store.table("replay_1", Flows.SCHEMA);
      Path tables = directory.resolve(TableCatalog.DIRECTORY);
      Files.createDirectories(tables.resolve("other"));
      Files.createFile(tables.resolve("file"));
      TableCatalog catalog = TableCatalog.ofStore(directory, ObjectsConfig.defaults());
      assertThat(catalog.names()).containsExactly("names", "replay_1");
      assertThat(catalog.table("other")).isEmpty();
      assertThat(catalog.table("../tables/names")).isEmpty();
      JsonNode listed = JSON.readTree(catalog.tables()).path("identifiers").path(1);
      assertThat(listed.path("namespace").path(0).asText()).isEqualTo("millrace");
      assertThat(listed.path("name").asText()).isEqualTo("replay_1");
      assertThat(catalog.config()).contains("GET /v1/{prefix}/namespaces/{namespace}/tables");
    }
    assertThat(new TableCatalog(ObjectsConfig.defaults(), directory.resolve("missing")).names())
        .isEmpty();
  }
}
