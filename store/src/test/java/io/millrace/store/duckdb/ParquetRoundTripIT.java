package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.AnswerRows;
import io.millrace.store.Cancellation;
import io.millrace.store.ExportedRows;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.ImportedRows;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.RetentionConfig;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Exported rows are imported unchanged, once. An import into the origin adds nothing, so all tests
 * share that store; each has a second one, with rollups if they matter.
 */
class ParquetRoundTripIT {
  private static final Instant EVER = Instant.parse("2000-01-01T00:00:00Z");
  private static final Instant NEVER = Instant.parse("2100-01-01T00:00:00Z");
  private static final int ROWS = 300;

  @TempDir private static Path origins;
  private static DuckDbStore origin;

  @TempDir Path directory;
  private DuckDbStore other;

  @BeforeAll
  static void fill() {
    origin = store(origins, RollupStore.portAlone(RollupConfig.DEFAULT));
    try (FlowWriter writer = origin.table(Store.FLOWS, Flows.SCHEMA).writer()) {
      writer.append(Flows.joined(ROWS, 0, 7));
      writer.append(records(new SplittableRandom(5), Flows.joined(ROWS, 3, 9)));
      writer.flush();
    }
    origin.table(Store.FLOWS, Flows.SCHEMA).committed(new Frontier(Map.of(0, 8L, 3, 10L)));
  }

  @AfterAll
  static void closeOrigin() {
    origin.close();
  }

  @BeforeEach
  void open() {
    open(RollupConfig.NONE);
  }

  private void open(RollupConfig rollups) {
    other = store(directory.resolve("other"), rollups);
    other.table(Store.FLOWS, Flows.SCHEMA);
  }

  private void openWithRollups() {
    other.close();
    open(RollupStore.portAlone(RollupConfig.DEFAULT));
  }

  private static DuckDbStore store(Path directory, RollupConfig rollups) {
    return new DuckDbStore(directory, StoreConfig.defaults(), rollups, 1_000, () -> Long.MAX_VALUE);
  }

  @AfterEach
  void close() {
    other.close();
  }

  /** Sets every column that only records have, to a value or NULL. */
  private static FlowBlock records(SplittableRandom random, FlowBlock block) {
    for (FlowColumn column : FlowColumn.ALL) {
      for (int i = 0; column.optional() && i < block.rows(); i++) {
        boolean isNull = i > 0 && random.nextInt(3) == 0; // at least one row has all
        switch (column.type()) {
          case ADDRESS -> {
            boolean isV4 = random.nextBoolean();
            block.addressHigh(column)[i] =
                isNull ? Addresses.NULL : isV4 ? 0 : random.nextLong() >>> random.nextInt(64);
            block.addressLow(column)[i] =
                isNull
                    ? Addresses.NULL
                    : isV4
                        ? Addresses.v4Low(random.nextInt())
                        : random.nextLong() >>> random.nextInt(64);
          }
          case U8 -> block.ints(column)[i] = isNull ? FlowBlock.NULL : random.nextInt(256);
          case U16 -> block.ints(column)[i] = isNull ? FlowBlock.NULL : random.nextInt(65_536);
          case U32 ->
              block.ints(column)[i] = isNull ? FlowBlock.NULL : -2 - random.nextInt(1 << 20);
          case U64 -> block.longs(column)[i] = isNull ? FlowBlock.NULL : random.nextLong() >>> 1;
          case MAC -> block.longs(column)[i] = isNull ? FlowBlock.NULL : random.nextLong() >>> 16;
          case MOMENT, TIME ->
              block.longs(column)[i] =
                  isNull ? FlowBlock.NULL : 1_700_000_000_000_000L + random.nextInt();
        }
      }
    }
    return block;
  }

  private Path export(DuckDbStore store) throws IOException {
    return export(store, NEVER, 2 * ROWS);
  }

  private Path export(DuckDbStore store, Instant until, int rows) throws IOException {
    ExportedRows exported = store.exportRows(Store.FLOWS, EVER, until);
    Path file = directory.resolve("rows-" + exported.file().getFileName());
    Files.move(exported.file(), file);
    assertThat(exported.rows()).isEqualTo(rows);
    return file;
  }

  private static ImportedRows read(DuckDbStore store, String table, Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return store.importRows(table, in);
    }
  }

  private static List<String> rows(Store store, String sql) {
    return AnswerRows.withColumns(
        store.query(new QueryRequest(sql, Duration.ofMinutes(1), 10_000)));
  }

  private static List<String> all(Store store, String table) {
    return rows(
        store,
        "SELECT * REPLACE (log_partition % 1048576 AS log_partition) FROM "
            + table
            + " ORDER BY log_partition % 1048576, log_offset, log_index");
  }

  @Test
  void everyColumnComesBack() throws IOException {
    List<String> written = all(origin, Store.FLOWS);
    assertThat(written).hasSize(1 + 2 * ROWS);
    Path file = export(origin);

    assertThat(read(other, Store.FLOWS, file)).isEqualTo(new ImportedRows(2 * ROWS, 0));
    assertThat(all(other, Store.FLOWS)).isEqualTo(written);
    assertThat(read(other, "archive", file)).isEqualTo(new ImportedRows(2 * ROWS, 0));
    assertThat(all(other, "archive")).isEqualTo(written);
  }

  @Test
  void anImportIsExportedWithThePlacesOfItsOrigin() throws IOException, SQLException {
    Path file = export(origin);
    read(other, Store.FLOWS, file);
    assertThat(parquet(export(other))).isEqualTo(parquet(file));
  }

  /** As a tool that does not know Millrace sees it. */
  private static List<String> parquet(Path file) throws SQLException {
    List<String> found = new ArrayList<>();
    try (var connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT f::VARCHAR FROM '"
                    + file
                    + "' f ORDER BY log_partition, log_offset, log_index")) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }

  @Test
  void rowsThatAreThereAreLeftOut() throws IOException {
    Path file = export(origin);
    assertThat(read(origin, Store.FLOWS, file)).isEqualTo(new ImportedRows(0, 2 * ROWS));
    read(other, Store.FLOWS, file);
    assertThat(read(other, Store.FLOWS, file)).isEqualTo(new ImportedRows(0, 2 * ROWS));
    assertThat(rows(other, "SELECT count(*) FROM flows")).endsWith(Integer.toString(2 * ROWS));
  }

  @Test
  void rewindsKeepThem() throws IOException {
    openWithRollups();
    read(other, Store.FLOWS, export(origin));
    other.rollUp();
    other.table(Store.FLOWS, Flows.SCHEMA).rewind(Frontier.EMPTY);
    assertThat(all(other, Store.FLOWS)).isEqualTo(all(origin, Store.FLOWS));
  }

  /** Each import meets some checkpoint half way; one that saw what was before it would fail. */
  @Test
  void checkpointsGoOnMeanwhile() throws IOException, InterruptedException {
    Path file = export(origin);
    for (int i = 0; i < 5; i++) {
      String name = "beside" + i;
      FlowTable table = other.table(name, Flows.SCHEMA);
      AtomicBoolean isOver = new AtomicBoolean();
      AtomicLong covered = new AtomicLong();
      CountDownLatch begun = new CountDownLatch(3);
      Thread job =
          new Thread(
              () -> {
                while (!isOver.get()) {
                  table.committed(new Frontier(Map.of(0, covered.incrementAndGet())));
                  begun.countDown();
                }
              });
      job.start();
      try {
        begun.await();
        assertThat(read(other, name, file)).isEqualTo(new ImportedRows(2 * ROWS, 0));
      } finally {
        isOver.set(true);
        job.join();
      }
      assertThat(table.committed().next(0)).isEqualTo(covered.get());
    }
  }

  @Test
  void aCancelledExportLeavesNoFile() {
    Cancellation cancellation = new Cancellation();
    cancellation.cancel();
    assertThatThrownBy(() -> origin.exportRows(Store.FLOWS, EVER, NEVER, cancellation))
        .isInstanceOfSatisfying(
            QueryException.class,
            e -> assertThat(e.reason()).isEqualTo(QueryException.Reason.CANCELLED));
    assertThat(origins.resolve("exchange")).isEmptyDirectory();
  }

  @Test
  void aFileWithoutRowsAddsNone() throws IOException {
    Path file = export(origin, EVER, 0);
    assertThat(read(other, Store.FLOWS, file)).isEqualTo(new ImportedRows(0, 0));
  }

  @Test
  void theyAreRolledUpWithTheOthers() throws IOException {
    openWithRollups();
    String sums =
        "SELECT dst_port, count(*) AS n, sum(bytes) AS b FROM flows GROUP BY dst_port ORDER BY ALL";
    read(other, Store.FLOWS, export(origin));
    origin.rollUp();
    other.rollUp();
    String views = "SELECT sum(rows), sum(bytes) FROM flows_hour_port";
    assertThat(rows(other, views)).isEqualTo(rows(origin, views));
    assertThat(rows(other, sums)).isEqualTo(rows(origin, sums));
  }

  @Test
  void rowsThatRetentionWouldRemoveAreRejected() throws IOException {
    Path file = export(origin);
    long week = RetentionConfig.DEFAULT.rows().toNanos() / 1_000;
    FlowBlock late = Flows.joined(1, 0, 1);
    late.longs(FlowColumn.TIME)[0] += 2 * week;
    try (FlowWriter writer = other.table(Store.FLOWS, Flows.SCHEMA).writer()) {
      writer.append(late);
      writer.flush();
    }
    assertThatThrownBy(() -> read(other, Store.FLOWS, file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("import them into another table with --table NAME");
    assertThat(read(other, "archive", file).added()).isEqualTo(2 * ROWS);
  }

  @Test
  void unknownColumnsAreRejected() throws IOException {
    try (DuckDbStore bare = store(directory.resolve("bare"), RollupConfig.NONE)) {
      bare.table(Store.FLOWS, new FlowSchema(List.of()));
      Path file = export(origin);
      assertThatThrownBy(() -> read(bare, Store.FLOWS, file))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("table flows has no column src_as, src_as_name, dst_as");
    }
  }

  @Test
  void otherFilesAreRejected() {
    byte[] bytes = "no parquet".getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> other.importRows(Store.FLOWS, new ByteArrayInputStream(bytes)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the file cannot be read as Parquet: ");
    assertThat(directory.resolve("other/exchange")).isEmptyDirectory();
  }

  /** It must not be mistaken for the store's own file. */
  @Test
  void aDamagedFileIsRejected() throws IOException {
    Path file = export(origin);
    byte[] bytes = Files.readAllBytes(file);
    Arrays.fill(bytes, 4, bytes.length / 4, (byte) 0x5a); // data; the metadata is at the end
    assertThatThrownBy(() -> other.importRows(Store.FLOWS, new ByteArrayInputStream(bytes)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the file is damaged: ");
    assertThat(rows(other, "SELECT count(*) FROM flows")).endsWith("0");
  }

  @Test
  void columnsOfOtherTypesAreRejected() throws SQLException, IOException {
    Path file = directory.resolve("foreign.parquet");
    try (var connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute(
          "COPY (SELECT 'now' AS time, 0 AS log_partition, 1 AS log_offset, 2 AS log_index) TO '"
              + file
              + "'");
    }
    assertThatThrownBy(() -> read(other, Store.FLOWS, file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "not a file of millrace export, column time is VARCHAR: import other Parquet with --mapping");
  }
}
