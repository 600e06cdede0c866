package io.millrace.server.imports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.pipelines.imports.FlowFile;
import io.millrace.pipelines.imports.FlowFiles;
import io.millrace.pipelines.imports.ImportOptions;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.RetentionConfig;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.testing.Await;
import io.millrace.wire.block.LogPartition;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each file is stored once, even if its import is interrupted. */
class FileImportsTest {
  private static final int ROWS = 20_000;
  private static final ImportOptions CSV =
      new ImportOptions(Optional.of("exchange-point"), Optional.empty());

  @TempDir Path dir;

  private DuckDbStore store;
  private FileImports imports;

  @BeforeEach
  void open() throws IOException {
    open(StoreConfig.defaults());
  }

  private void open(StoreConfig config) throws IOException {
    store = new DuckDbStore(dir.resolve("store"), config, RollupConfig.DEFAULT);
    store.table(Store.FLOWS, new FlowSchema(List.of()));
    imports =
        new FileImports(
            dir.resolve("imports"),
            store,
            FlowsConfig.defaults(),
            new FlowSchema(List.of()),
            List.of(),
            Clock.systemUTC());
  }

  @AfterEach
  void close() {
    imports.close();
    store.close();
  }

  private static byte[] csv(int rows, int salt) {
    return csv(rows, salt, 1_380_000_000_000_000L);
  }

  private static byte[] csv(int rows, int salt, long firstMicros) {
    StringBuilder csv = new StringBuilder();
    for (int i = 0; i < rows; i++) {
      csv.append("1.0.")
          .append(i >> 8 & 255)
          .append('.')
          .append(i & 255)
          .append(",198.51.100.2,6,443,")
          .append(salt)
          .append(",1500,")
          .append(firstMicros + i)
          .append('\n');
    }
    return csv.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private FileImports.Status take(String table, String name, byte[] file) throws IOException {
    return imports.upload(table, name, CSV, "", file.length, new ByteArrayInputStream(file));
  }

  private FileImports.Status await(FileImports.Status begun) {
    Await.until(
        "the import's end",
        () -> !imports.status(begun.sha256(), begun.table()).state().equals("running"));
    return imports.status(begun.sha256(), begun.table());
  }

  private long number(String sql) {
    try (QueryResult row = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 1))) {
      row.next();
      return ((Number) row.value(0)).longValue();
    }
  }

  private void assertOnce(String table, int rows) {
    assertThat(number("SELECT count(*) FROM " + table)).isEqualTo(rows);
    assertThat(
            number("SELECT count(DISTINCT (log_partition, log_offset, log_index)) FROM " + table))
        .isEqualTo(rows);
    assertThat(number("SELECT count(DISTINCT time) FROM " + table)).isEqualTo(rows);
  }

  @Test
  void aFileIsStoredOncePerTable() throws IOException {
    imports.start();
    byte[] file = csv(ROWS, 1);
    FileImports.Status first = await(take(Store.FLOWS, "a.csv", file));
    assertThat(first.state()).isEqualTo("done");
    assertThat(first.rows()).isEqualTo(ROWS);
    FileImports.Status again = take(Store.FLOWS, "b.csv", file);
    assertThat(again.isNew()).isFalse();
    assertThat(again.state()).isEqualTo("done");
    assertThat(again.file()).isEqualTo("a.csv");
    assertOnce(Store.FLOWS, ROWS);
    assertThat(await(take("january", "a.csv", file)).rows()).isEqualTo(ROWS);
    assertOnce("january", ROWS);
    byte[] other = csv(5, 2);
    assertThat(await(take(Store.FLOWS, "c.csv", other)).rows()).isEqualTo(5);
    assertThat(number("SELECT count(*) FROM flows")).isEqualTo(ROWS + 5);
    assertThat(number("SELECT count(*) FROM flows_committed")).isEqualTo(ROWS + 5);
    assertThat(number("SELECT count(DISTINCT log_partition) FROM flows"))
        .as("files share a partition")
        .isEqualTo(1);
    assertThat(store.table(Store.FLOWS, new FlowSchema(List.of())).committed().next())
        .as("what is compared with the log")
        .isEmpty();
    assertThat(number("SELECT sum(row_count) FROM imports WHERE state = 'done'"))
        .isEqualTo(2 * ROWS + 5);
    try (var left = Files.list(dir.resolve("imports"))) {
      assertThat(left).isEmpty();
    }
  }

  /** Stores rows without committing them, as a killed process does. */
  private static void leaveRows(FlowTable table, Path file, int values) throws IOException {
    try (FlowFile flows = FlowFiles.open(file, FlowsConfig.defaults(), CSV);
        FlowWriter writer = table.writer()) {
      for (int value = 0; value < values; value++) {
        assertThat(flows.next(LogPartition.ofFiles(0), value, writer::append)).isTrue();
      }
      writer.flush();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {Store.FLOWS, "january"})
  void aKilledImportResumes(String name) throws IOException {
    byte[] file = csv(ROWS, 1);
    FileImports.Status begun = take(name, "a.csv", file); // nobody works on it yet
    assertThat(begun.state()).isEqualTo("running");
    FlowTable table = store.table(name, new FlowSchema(List.of()));
    leaveRows(table, dir.resolve("imports").resolve(begun.sha256() + "." + name), 3);
    assertThat(table.rows()).isPositive().isLessThan(ROWS);
    imports.close();
    store.close();
    open();
    imports.start();
    FileImports.Status over = await(begun);
    assertThat(over.state()).isEqualTo("done");
    assertThat(over.rows()).isEqualTo(ROWS);
    assertOnce(name, ROWS);
    assertThat(take(name, "a.csv", file).isNew()).isFalse();
  }

  @Test
  void committedRowsAreNotStoredAgain() throws Exception {
    byte[] file = csv(ROWS, 1);
    FileImports.Status begun = take(Store.FLOWS, "a.csv", file);
    FlowTable table = store.table(Store.FLOWS, new FlowSchema(List.of()));
    int partition = LogPartition.ofFiles(0);
    Path uploaded = dir.resolve("imports").resolve(begun.sha256() + ".flows");
    leaveRows(table, uploaded, 2); // of several
    table.committed(new io.millrace.wire.block.Frontier(java.util.Map.of(partition, 2L)));
    imports.close();
    store.close();
    open();
    imports.start();
    assertThat(await(begun).rows()).isEqualTo(ROWS);
    assertOnce(Store.FLOWS, ROWS);
  }

  @Test
  void aFailedImportIsReportedAndResumes() throws IOException {
    byte[] file = csv(ROWS, 1);
    FileImports.Status begun = take(Store.FLOWS, "a.csv", file);
    Files.delete(dir.resolve("imports").resolve(begun.sha256() + ".flows")); // as a broken disk
    imports.start();
    FileImports.Status failed = await(begun);
    assertThat(failed.state()).isEqualTo("failed");
    assertThat(failed.problem()).contains("import the file again, or restart, to continue");
    assertThat(number("SELECT count(*) FROM imports WHERE state = 'failed'")).isEqualTo(1);
    imports.close();
    store.close();
    open();
    imports.start();
    assertThat(imports.status(begun.sha256(), Store.FLOWS).state()).isEqualTo("failed");
    assertThat(await(take(Store.FLOWS, "other.csv", csv(5, 2))).state()).isEqualTo("done");
    assertThat(number("SELECT count(DISTINCT log_partition) FROM imports"))
        .as("what is to continue has its partition for itself")
        .isEqualTo(2);
    FileImports.Status again = await(take(Store.FLOWS, "a.csv", file));
    assertThat(again.state()).isEqualTo("done");
    assertThat(again.problem()).isEmpty();
    assertThat(number("SELECT count(*) FROM flows")).isEqualTo(ROWS + 5);
  }

  @Test
  void rowsOlderThanTheRetentionEnterRollupsOrStayInOtherTables() throws IOException {
    imports.close();
    store.close();
    open(StoreConfig.defaults().withRetention(new RetentionConfig(Duration.ofDays(1), 0)));
    imports.start();
    long now = Clock.systemUTC().millis() * 1_000;
    byte[] old = csv(ROWS, 1, now - 3 * 86_400_000_000L);
    assertThat(await(take(Store.FLOWS, "old.csv", old)).rows()).isEqualTo(ROWS);
    assertThat(await(take("archive", "old.csv", old)).rows()).isEqualTo(ROWS);
    assertThat(await(take(Store.FLOWS, "new.csv", csv(7, 2, now))).rows()).isEqualTo(7);
    store.rollUp();
    store.retain();
    assertThat(number("SELECT count(*) FROM flows")).isEqualTo(7);
    assertThat(number("SELECT sum(rows)::BIGINT FROM flows_hour_port")).isEqualTo(ROWS + 7);
    assertThat(number("SELECT count(*) FROM archive")).isEqualTo(ROWS);
    assertThat(take(Store.FLOWS, "old.csv", old).state()).as("once").isEqualTo("done");
  }

  @Test
  void anUnknownFileIsRejectedAndMayBeUploadedAgain() throws IOException {
    imports.start();
    byte[] file = "hello".getBytes(StandardCharsets.US_ASCII);
    FileImports.Status rejected =
        await(
            imports.upload(
                Store.FLOWS, "x", ImportOptions.NONE, "", 5, new ByteArrayInputStream(file)));
    assertThat(rejected.state()).isEqualTo("rejected");
    assertThat(rejected.problem()).startsWith("unknown format, expected ");
    FileImports.Status mapped = await(take(Store.FLOWS, "x", file));
    assertThat(mapped.state()).isEqualTo("done");
    assertThat(mapped.rows()).isZero();
    assertThat(mapped.problem()).isEqualTo("1 × bad src_addr (first: line 1: \"hello\")");
    assertThatThrownBy(() -> take("Bad Name", "x", file))
        .hasMessageStartingWith("table: Bad Name:");
    assertThatThrownBy(
            () -> imports.upload(Store.FLOWS, "x", CSV, "00", 5, new ByteArrayInputStream(file)))
        .hasMessageContaining("upload the file again");
  }
}
