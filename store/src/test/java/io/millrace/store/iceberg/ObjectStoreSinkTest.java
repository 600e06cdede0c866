package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.Flows;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.storage.TableStorage;
import io.millrace.store.storage.TestObjects;
import io.millrace.testing.S3Server;
import io.millrace.testing.S3Server.Fault;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.sink.BlockSink;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another process writes files to an object store; no shared file system. */
class ObjectStoreSinkTest {
  @TempDir Path directory;
  private S3Server server;
  private TableStorage storage;
  private DuckDBConnection database;
  private IcebergFlowTable table;
  private ExternalFileSink sink;
  private TableFiles.Rows rows;

  @BeforeEach
  void open() throws Exception {
    server = new S3Server();
    storage = TableStorage.of(directory, TestObjects.config(server));
    database = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    Connections.know(database);
    SqlRows.execute(database, "ATTACH ':memory:' AS millrace");
    table =
        IcebergFlowTable.open(
            storage,
            directory.resolve("tables/flows"),
            "flows",
            Flows.SCHEMA,
            database,
            (ids, n) -> {},
            new IcebergFlowTable.Limits(5_000, 4 << 20, Duration.ZERO),
            true,
            () -> false);
    sink = table.externalFileSink();
    sink.rewind(1, Frontier.EMPTY);
    sink.begin(1, BlockSink.NO_CHECKPOINT);
    rows = TableFiles.open(table.descriptor()).orElseThrow().rows(new Direct());
  }

  @AfterEach
  void close() throws Exception {
    rows.close();
    sink.close();
    table.close();
    storage.close();
    Connections.close(database);
    server.close();
  }

  private final class Direct implements TableFiles.Reports {
    @Override
    public void ended(FlowPart part, long number) {
      sink.end(part, number);
    }

    @Override
    public void written(long number, BlockBuffer report) {
      sink.written(number, new BlockInput(report.bytes(), 0, report.length()));
    }
  }

  private List<String> data() {
    return server.keys().stream().filter(key -> key.contains("/data/")).toList();
  }

  private long visible() throws Exception {
    try (DuckDBConnection own = Connections.another(database);
        RowsView shown = table.show(own)) {
      shown.readAll();
      return SqlRows.number(own, "SELECT count(*) FROM millrace.raw.flows");
    }
  }

  @Test
  void filesGoToTheObjectStoreAndAreFetchedByQueries() throws Exception {
    rows.append(Flows.joined(100, 0, 0));
    rows.seal().join();
    sink.seal(1, new Frontier(Map.of(0, 1L)));
    sink.sync();
    assertThat(data()).hasSize(1);
    assertThat(directory.resolve(data().get(0))).doesNotExist();
    sink.commit(1, new Frontier(Map.of(0, 1L)));
    assertThat(visible()).isEqualTo(100);
    assertThat(directory.resolve(data().get(0))).exists();
  }

  @Test
  void sealedFilesAreReadBeforeTheyAreCommitted() throws Exception {
    rows.append(Flows.joined(100, 0, 0));
    rows.seal().join();
    assertThat(visible()).isEqualTo(100);
    sink.seal(1, new Frontier(Map.of(0, 1L)));
    sink.sync();
    assertThat(visible()).isEqualTo(100);
  }

  @Test
  void waitsForTheObjectStore() throws Exception {
    Fault[] twoAttemptsFail = {
      Fault.FAILS, Fault.FAILS, Fault.FAILS, Fault.IS_BUSY, Fault.IS_BUSY, Fault.IS_BUSY
    };
    server.next("/data/", twoAttemptsFail);
    rows.append(Flows.joined(100, 0, 0));
    rows.seal().join();
    assertThat(data()).hasSize(1);
  }

  @Test
  void anotherObjectStoreIsNoticed() throws Exception {
    String descriptor = table.descriptor();
    Path marker = directory.resolve("tables/flows/writers/marker");
    Files.writeString(marker, "other");
    storage.publish(marker);
    assertThat(TableDescriptor.parse(descriptor).problem().orElseThrow())
        .contains("s3://lake/some/prefix/tables/flows/writers/marker differs");
    server.clear();
    assertThat(TableDescriptor.parse(descriptor).problem()).isPresent();
    server.setDown(true);
    assertThat(TableDescriptor.parse(descriptor).problem().orElseThrow()).contains("status 500");
  }
}
