package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.store.ObjectsConfig;
import io.millrace.store.iceberg.TableCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Buckets of past days are in files, also after changes of the directory. */
class RollupHistoryIT extends RollupStore {
  private static final String SUMS = "sum(\"rows\")::BIGINT, sum(bytes)::BIGINT";

  private List<String> byHour;

  @BeforeEach
  void threeDays() {
    for (int hour = 0; hour < 80; hour += 4) {
      write(START + hour * HOUR, 3);
    }
    store.rollUp();
    byHour = byHour();
    assertThat(byHour).hasSize(20);
  }

  private List<String> byHour() {
    List<String> rows =
        rows("SELECT bucket, " + SUMS + " FROM flows_hour_port GROUP BY 1 ORDER BY 1");
    for (String grain : List.of("minute", "five", "day")) {
      assertThat(rows("SELECT " + SUMS + " FROM flows_" + grain + "_port"))
          .isEqualTo(rows("SELECT " + SUMS + " FROM flows_hour_port"));
    }
    return rows;
  }

  private List<String> sums() {
    return rows("SELECT " + SUMS + " FROM flows_hour_port");
  }

  private long listed(String table) throws IOException {
    JsonNode metadata =
        new ObjectMapper()
            .readTree(
                TableCatalog.ofStore(folder, ObjectsConfig.defaults()).table(table).orElseThrow())
            .path("metadata");
    long newest = metadata.path("current-snapshot-id").asLong();
    for (JsonNode snapshot : metadata.path("snapshots")) {
      if (snapshot.path("snapshot-id").asLong() == newest) {
        return snapshot.path("summary").path("total-records").asLong();
      }
    }
    throw new AssertionError("no snapshot of " + table);
  }

  @Test
  void otherEnginesReadThem() throws IOException, SQLException {
    assertThat(TableCatalog.ofStore(folder, ObjectsConfig.defaults()).names())
        .contains("flows", "flows_minute_port", "flows_five_port", "flows_hour_port")
        .doesNotContain("flows_day_port"); // until 32 days are closed
    long filed = listed("flows_hour_port");
    assertThat(filed).isGreaterThan(2 * 6 * 3);
    long recent =
        Long.parseLong(stored("SELECT count(*) FROM raw.flows__port_hour__recent").get(0));
    assertThat(recent + filed).isEqualTo(19 * 3); // the last hour is open
  }

  @Test
  void lateRowsOfAPastDayAreAdded() throws IOException {
    write(START + 4 * HOUR, 5); // two new ports
    store.rollUp();
    assertThat(rows("SELECT " + SUMS + " FROM flows_hour_port")).containsExactly("65|70000");
    long filed = listed("flows_hour_port");
    write(START + 110 * HOUR, 1); // the next day: the late sums move too
    store.rollUp();
    assertThat(listed("flows_hour_port")).isGreaterThan(filed);
    assertThat(rows("SELECT " + SUMS + " FROM flows_hour_port")).containsExactly("66|70000");
    assertThat(rows("SELECT count(*), " + SUMS + " FROM flows_hour_port WHERE dst_port = 4"))
        .containsExactly("1|1|4000");
  }

  @Test
  void theDirectoryMayBeMoved() throws IOException {
    store.close();
    Path moved = directory.resolve("moved");
    Files.move(folder, moved);
    folder = moved;
    open(config(10, Map.of()));
    assertThat(byHour()).isEqualTo(byHour);
    write(START + 110 * HOUR, 1);
    store.rollUp();
    assertThat(byHour()).hasSize(21);
    assertThat(listed("flows_hour_port")).isEqualTo(20 * 3);
  }

  @Test
  void aBackupContainsThem() throws IOException {
    Path copy = directory.resolve("restored");
    StoreCopies.copy(store.backUp(), copy);
    store.dropBackup();
    write(START + 110 * HOUR, 1);
    store.rollUp();
    store.close();
    folder = copy;
    open(config(10, Map.of()));
    assertThat(byHour()).isEqualTo(byHour);
    store.rollUp();
    assertThat(listed("flows_hour_port")).isGreaterThan(2 * 6 * 3);
  }

  @Test
  void aStoreWithoutItsDatabaseKeepsTheirFiles() throws IOException {
    List<String> sums = sums();
    store.close();
    for (String suffix : List.of("", ".wal", ".synced")) {
      Files.deleteIfExists(folder.resolve(DuckDbStore.FILE_NAME + suffix));
    }
    open(config(10, Map.of()));
    store.rollUp();
    assertThat(sums()).isEqualTo(sums);
    try (Stream<Path> folders = Files.list(folder.resolve("rollups"))) {
      assertThat(folders.map(path -> path.getFileName().toString()))
          .anyMatch(name -> name.startsWith("flows_hour_port-"));
    }
  }

  @Test
  void rollupsContinueIfFilesCannotBeWritten() throws IOException {
    Path rollups = folder.resolve("rollups");
    Files.move(rollups, directory.resolve("rollups"));
    Files.createFile(rollups); // prevents the folder
    write(START + 110 * HOUR, 1);
    store.rollUp();
    assertThat(store.problem()).isEmpty();
    Files.delete(rollups);
    Files.move(directory.resolve("rollups"), rollups);
    assertThat(rows("SELECT sum(\"rows\")::BIGINT FROM flows_hour_port")).containsExactly("61");
  }

  @Test
  void aSetThatIsDroppedHasNoFiles() throws IOException {
    store.close();
    open(config(10, Map.of("port", List.of())));
    var unused = table();
    assertThat(TableCatalog.ofStore(folder, ObjectsConfig.defaults()).names())
        .doesNotContain("flows_hour_port");
    assertThat(folder.resolve("rollups/flows_hour_port")).doesNotExist();
  }
}
