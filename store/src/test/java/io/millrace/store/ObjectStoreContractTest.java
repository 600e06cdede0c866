package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pulse.DirectoryTree;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.duckdb.StoreCopies;
import io.millrace.store.remote.StoreServer;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.storage.TestObjects;
import io.millrace.testing.Await;
import io.millrace.testing.S3Server;
import io.millrace.testing.S3Server.Fault;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Contract test of a store with its tables in an object store. */
class ObjectStoreContractTest extends StoreContract {
  private static final String ANSWER =
      "SELECT src_as_name, count(*), sum(bytes) FROM flows GROUP BY 1 ORDER BY ALL";

  @TempDir Path directory;
  private final S3Server server = server();

  private static S3Server server() {
    try {
      return new S3Server();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private DuckDbStore open(Path path, ObjectsConfig objects) {
    return new DuckDbStore(
        path,
        StoreConfig.defaults().withListen(StoreServer.anyLocalPort()).withObjects(objects),
        RollupConfig.NONE);
  }

  @Override
  protected Store open() {
    return open(directory.resolve("store"), TestObjects.config(server));
  }

  @Override
  protected Store crashAndOpen() throws IOException {
    StoreCopies.crash(directory.resolve("store"), store::close);
    return open();
  }

  @AfterEach
  void closeServer() {
    server.close();
  }

  private void commit() {
    FlowTable flows = flows();
    flows.rewind(Frontier.EMPTY);
    try (FlowWriter writer = flows.writer()) {
      writer.append(Flows.joined(100, 0, 0));
      writer.append(Flows.records(50, 0, 1));
      writer.seal(1, new Frontier(Map.of(0, 2L)));
      writer.sync();
      writer.commit(1, new Frontier(Map.of(0, 2L)));
    }
  }

  @Test
  void aLostDirectoryIsFoundInTheObjectStore() throws Exception {
    commit();
    List<String> answer = rows(ANSWER);
    assertThat(answer).hasSizeGreaterThan(1);
    store.close();
    DirectoryTree.delete(directory.resolve("store"));
    store = open();
    assertThat(rows(ANSWER)).isEqualTo(answer);
    assertThat(flows().committed()).isEqualTo(new Frontier(Map.of(0, 2L)));
  }

  @Test
  void rowsOfABackupStayInTheObjectStore() throws Exception {
    commit();
    List<String> answer = rows(ANSWER);
    Path backup = directory.resolve("backup");
    Files.move(((DuckDbStore) store).backUp(), backup);
    assertThat(backup.resolve("tables/flows/metadata")).isNotEmptyDirectory();
    assertThat(backup.resolve("tables/flows/data")).doesNotExist();
    store.close();
    assertThatThrownBy(() -> open(backup, ObjectsConfig.defaults()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is only in s3://lake/some/prefix/tables/");
    try (DuckDbStore copy = open(backup, TestObjects.config(server))) {
      assertThat(rows(copy, ANSWER)).isEqualTo(answer);
    }
    store = open();
    assertThat(rows(ANSWER)).isEqualTo(answer);
  }

  @Test
  void rollupsWaitForTheObjectStore() throws Exception {
    commit();
    String expected = rows("SELECT count(*) FROM flows").get(0);
    store.close();
    DirectoryTree.delete(directory.resolve("store/tables/flows/data"));
    server.next("/tables/flows/data/", Fault.FAILS, Fault.IS_BUSY, Fault.FAILS);
    DuckDbStore rolling =
        new DuckDbStore(
            directory.resolve("store"),
            StoreConfig.defaults().withObjects(TestObjects.config(server)),
            RollupConfig.DEFAULT);
    store = rolling;
    Await.until(
        "the rollups",
        () -> {
          try {
            rolling.rollUp();
          } catch (StoreException e) {
            assertThat(e).hasMessageContaining("cannot read s3://lake/some/prefix/tables/flows/");
          }
          return rows("SELECT coalesce(sum(\"rows\"), 0) FROM flows_minute_as")
              .equals(List.of(expected));
        });
  }

  @Test
  void aFailedOpenLeavesNothingRunning() {
    commit();
    store.close();
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    server.next("/tables/names/", Fault.FAILS, Fault.FAILS, Fault.FAILS);
    assertThatThrownBy(this::open)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("status 500");
    Await.until(
        "the end of its threads",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("store-"))
                .allMatch(before::contains));
    store = open();
  }

  @Test
  void droppedTablesAreDeletedThere() {
    FlowTable table = store.table("other", Flows.SCHEMA);
    write(table, Flows.joined(10, 0, 0));
    table.committed(new Frontier(Map.of(0, 1L)));
    assertThat(server.keys()).anyMatch(key -> key.startsWith("tables/other/data/"));
    store.drop(List.of("other"));
    assertThat(server.keys()).noneMatch(key -> key.startsWith("tables/other/"));
  }
}
