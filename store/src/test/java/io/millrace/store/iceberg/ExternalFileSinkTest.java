package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.Flows;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.storage.TableStorage;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockFormatException;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.sink.BlockSink;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link TableFiles} writes files, an {@link ExternalFileSink} takes them over; no network. */
class ExternalFileSinkTest {
  private static final long TAIL_BYTES = 4 << 20;

  @TempDir Path directory;
  private DuckDBConnection database;
  private IcebergFlowTable table;
  private ExternalFileSink sink;
  private TableFiles.Rows rows;
  private BlockBuffer lastReport;
  private boolean isLost;

  @BeforeEach
  void open() throws SQLException {
    database = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    Connections.know(database);
    SqlRows.execute(database, "ATTACH ':memory:' AS millrace");
    table =
        IcebergFlowTable.open(
            TableStorage.local(),
            directory.resolve("flows"),
            "flows",
            Flows.SCHEMA,
            database,
            (ids, n) -> {},
            new IcebergFlowTable.Limits(5_000, TAIL_BYTES, Duration.ZERO),
            true,
            () -> false);
    sink = table.externalFileSink();
    sink.rewind(1, Frontier.EMPTY);
    sink.begin(1, BlockSink.NO_CHECKPOINT);
    rows = TableFiles.open(table.descriptor()).orElseThrow().rows(new Direct());
  }

  @AfterEach
  void close() throws SQLException {
    rows.close();
    sink.close();
    table.close();
    Connections.close(database);
  }

  private final class Direct implements TableFiles.Reports {
    @Override
    public void ended(FlowPart part, long number) {
      sink.end(part, number);
    }

    @Override
    public void written(long number, BlockBuffer report) {
      lastReport = report;
      if (isLost) {
        throw new StoreException("the connection is lost", null);
      }
      sink.written(number, new BlockInput(report.bytes(), 0, report.length()));
    }
  }

  private void append(FlowBlock block) {
    sink.append(block);
    rows.append(block);
  }

  private long visible() throws SQLException {
    try (DuckDBConnection own = Connections.another(database);
        RowsView shown = table.show(own)) {
      shown.readAll();
      return SqlRows.number(own, "SELECT count(*) FROM millrace.raw.flows");
    }
  }

  private List<Path> files() throws Exception {
    try (var all = Files.walk(directory.resolve("flows"))) {
      return all.filter(file -> file.toString().contains("/data/"))
          .filter(Files::isRegularFile)
          .toList();
    }
  }

  private void seal(long checkpoint, long until) {
    rows.seal().join();
    sink.seal(checkpoint, new Frontier(Map.of(0, until)));
    sink.sync();
  }

  @Test
  void rowsBeyondTheMemoryLimitBecomeVisibleWithTheirFiles() throws Exception {
    long blocks = 40;
    for (int offset = 0; offset < blocks; offset++) {
      append(Flows.joined(1_000, 0, offset));
    }
    assertThat(visible()).isBetween(4_000L, blocks * 1_000L - 1);
    seal(1, blocks);
    assertThat(visible()).isEqualTo(blocks * 1_000);
    append(Flows.joined(1_000, 0, blocks));
    assertThat(visible()).as("there is room again").isEqualTo(blocks * 1_000 + 1_000);
    sink.commit(1, new Frontier(Map.of(0, blocks)));
    assertThat(visible()).isEqualTo(blocks * 1_000 + 1_000);
    assertThat(table.rows()).isEqualTo(blocks * 1_000 + 1_000);
  }

  @Test
  void unreportedFilesAreDeleted() throws Exception {
    append(Flows.joined(100, 0, 0));
    isLost = true;
    assertThatThrownBy(() -> rows.seal().join()).hasMessageContaining("lost");
    assertThat(files()).isEmpty();
    assertThat(visible()).isEqualTo(100);
    sink.close();
    assertThat(visible()).isZero();
  }

  @Test
  void filesMustBeInTheFolderOfTheTable() throws Exception {
    append(Flows.joined(100, 0, 0));
    seal(1, 1);
    Path file = files().get(0);
    Path elsewhere = directory.resolve("flows/data/hour=1/" + file.getFileName());
    Files.createDirectories(elsewhere.getParent());
    Files.copy(file, elsewhere);
    FileReport known =
        FileReport.read(new BlockInput(lastReport.bytes(), 0, lastReport.length()), table.sums());
    for (StoredFile wrong :
        List.of(
            known.files().get(0).at(elsewhere),
            known.files().get(0).at(file.resolveSibling("../../../../secret")),
            known.files().get(0).at(file.resolveSibling("none.parquet")))) {
      BlockBuffer report = new BlockBuffer(100);
      new FileReport(List.of(wrong), null).write(null, report);
      sink.end(FlowPart.RECORDS, 100);
      assertThatThrownBy(
              () -> sink.written(100, new BlockInput(report.bytes(), 0, report.length())))
          .isInstanceOf(StoreException.class);
    }
    assertThatThrownBy(
            () -> sink.written(77, new BlockInput(lastReport.bytes(), 0, lastReport.length())))
        .isInstanceOf(BlockFormatException.class)
        .hasMessageContaining("unknown buffer 77");
  }

  @Test
  void sinksOfOneProcessShareTheMemory() {
    TableFiles shared = TableFiles.open(table.descriptor()).orElseThrow();
    TableFiles.Rows others = shared.rows(new Direct());
    assertThat(TableFiles.open(table.descriptor()).orElseThrow()).isSameAs(shared);
    shared.rows(new Direct()).close();
    others.close();
  }

  @Test
  void committedRowsAreNotWrittenAgain() throws Exception {
    append(Flows.joined(100, 0, 0));
    seal(1, 1);
    sink.commit(1, new Frontier(Map.of(0, 1L)));
    rows.begin(new Frontier(Map.of(0, 1L)));
    rows.append(Flows.joined(100, 0, 0));
    rows.seal().join();
    assertThat(files()).hasSize(1);
  }
}
