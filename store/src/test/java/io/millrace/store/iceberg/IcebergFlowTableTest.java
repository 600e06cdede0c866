package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.FencedException;
import io.millrace.store.Flows;
import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.storage.TableStorage;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IcebergFlowTableTest {
  private static final LogRange NOTHING = new LogRange(Frontier.EMPTY, Frontier.EMPTY);
  static final String ALL =
      "(SELECT * FROM millrace.raw.flows UNION ALL BY NAME SELECT * FROM millrace.raw.flows__records)";

  @TempDir Path directory;
  private DuckDBConnection database;
  private IcebergFlowTable table;

  @BeforeEach
  void open() throws SQLException {
    database = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    Connections.know(database);
    SqlRows.execute(database, "ATTACH ':memory:' AS millrace");
    openTable(5_000, 64 << 20);
  }

  private void openTable(int bufferRows, long tailBytes) throws SQLException {
    table =
        IcebergFlowTable.open(
            TableStorage.local(),
            directory.resolve("flows"),
            "flows",
            Flows.SCHEMA,
            database,
            (ids, n) -> {},
            new IcebergFlowTable.Limits(bufferRows, tailBytes, Duration.ZERO),
            true,
            () -> false);
  }

  @AfterEach
  void close() throws SQLException {
    table.close();
    Connections.close(database);
  }

  private void reopen() throws SQLException {
    close();
    open();
  }

  private List<String> rows(String sql) throws Exception {
    return rows(sql, false);
  }

  private List<String> rows(String sql, boolean isCommitted) throws Exception {
    List<String> rows = new ArrayList<>();
    try (DuckDBConnection own = Connections.another(database);
        RowsView shown = isCommitted ? table.showCommitted(own) : table.show(own)) {
      shown.readAll();
      SqlRows.forEach(
          own,
          sql,
          result -> {
            List<String> row = new ArrayList<>();
            for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
              row.add(String.valueOf(result.getObject(i)));
            }
            rows.add(String.join("|", row));
          });
    }
    return rows;
  }

  private List<String> values(String view) throws Exception {
    return rows(
        "SELECT log_partition, log_offset, count(*) FROM " + ALL + " GROUP BY ALL ORDER BY ALL",
        view.equals("committed"));
  }

  private long dataFiles() throws SQLException {
    try (DuckDBConnection own = Connections.another(database)) {
      return SqlRows.number(
          own, "SELECT count(*) FROM glob('" + directory.resolve("flows/data/*/*.parquet") + "')");
    }
  }

  private static Frontier upTo(long offset) {
    return new Frontier(Map.of(0, offset));
  }

  private IcebergFlowSink begin(long token, Frontier from) {
    IcebergFlowSink sink = table.sink();
    sink.rewind(token, from);
    sink.begin(token, 0);
    return sink;
  }

  /** DuckDB uses Bloom filters only for conditions on a file's own column. */
  @Test
  void conditionsOnStoredAddressesAreThoseOfTheFiles() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      sink.append(Flows.joined(10, 0, 0));
      sink.seal(1, upTo(1));
      sink.commit(1, upTo(1));
    }
    String plan =
        rows("EXPLAIN SELECT count(*) FROM millrace.raw.flows__records WHERE "
                + FlowLayout.stored("src_addr")
                + " = UUID '00000000-0000-0000-0000-ffff00000001'")
            .get(0);
    assertThat(plan)
        .containsPattern(
            "Filters: *│.*\\n│ src_addr = '00000000-0000-0000-0000-ffff00000001'::UUID");
  }

  /** An export may take minutes, in which many more rows arrive. */
  @Test
  void aLongStatementReadsTheRowsInMemoryFromFilesOfItsOwn() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY);
        DuckDBConnection own = Connections.another(database)) {
      sink.append(Flows.joined(10, 0, 0));
      try (RowsView shown = table.showInFiles(own, 0, Long.MAX_VALUE)) {
        shown.readAll();
        sink.append(Flows.joined(20, 0, 1));
        sink.seal(1, upTo(2));
        sink.sync();
        sink.commit(1, upTo(2));
        assertThat(table.heldBytes()).isZero();
        assertThat(SqlRows.number(own, "SELECT count(*) FROM " + ALL)).isEqualTo(10);
        assertThat(dataFiles()).isEqualTo(2);
      }
      assertThat(dataFiles()).isEqualTo(1);
    }
  }

  @Test
  void aLongStatementDoesNotReadRowsInMemoryOutsideOfItsRange() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY);
        DuckDBConnection own = Connections.another(database)) {
      sink.append(Flows.joined(10, 0, 0));
      try (RowsView shown = table.showInFiles(own, 0, 1)) {
        shown.readAll();
        assertThat(SqlRows.number(own, "SELECT count(*) FROM " + ALL)).isZero();
        assertThat(dataFiles()).isZero();
      }
      assertThat(values("rows")).containsExactly("0|0|10");
    }
  }

  @Test
  void rowsAreVisibleAtOnceAndCommittedWithTheirCheckpoint() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      sink.append(Flows.joined(10, 0, 0));
      sink.append(Flows.joined(20, 0, 1));
      assertThat(values("rows")).containsExactly("0|0|10", "0|1|20");
      sink.seal(1, upTo(2));
      sink.append(Flows.joined(30, 0, 2));
      sink.sync();
      assertThat(values("committed")).isEmpty();
      assertThat(values("rows")).containsExactly("0|0|10", "0|1|20", "0|2|30");
      sink.commit(1, upTo(2));
      assertThat(values("committed")).containsExactly("0|0|10", "0|1|20");
      assertThat(values("rows")).containsExactly("0|0|10", "0|1|20", "0|2|30");
      sink.commit(1, upTo(2));
      assertThat(table.committed()).isEqualTo(upTo(2));
      assertThat(table.rows()).isEqualTo(60);
    }
  }

  @Test
  void valuesAreTheSameInMemoryAndInFiles() throws Exception {
    String all = "SELECT * FROM " + ALL + " ORDER BY log_offset, log_index";
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      sink.append(Flows.joined(100, 0, 0));
      sink.append(Flows.records(50, 0, 1));
      List<String> inMemory = rows(all);
      assertThat(inMemory).hasSize(150);
      assertThat(inMemory.get(9))
          .contains("281470849515521", "42540766411282592856903984951653826569");
      sink.seal(1, upTo(2));
      sink.sync();
      assertThat(rows(all)).isEqualTo(inMemory);
      sink.commit(1, upTo(2));
      assertThat(rows(all)).isEqualTo(inMemory);
    }
    reopen();
    assertThat(rows(all)).hasSize(150);
  }

  @Test
  void completedCheckpointIsCommittedAfterARestart() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      sink.append(Flows.joined(10, 0, 0));
      sink.seal(1, upTo(1));
      sink.append(Flows.joined(20, 0, 1));
      sink.seal(2, upTo(2));
      sink.sync();
    }
    reopen();
    assertThat(values("rows")).isEmpty();
    try (IcebergFlowSink sink = begin(2, upTo(1))) {
      assertThat(values("committed")).containsExactly("0|0|10");
      sink.append(Flows.joined(20, 0, 1));
      assertThat(values("rows")).containsExactly("0|0|10", "0|1|20");
    }
  }

  @Test
  void commitIsNotRepeatedAfterARestart() throws Exception {
    Path sealed = directory.resolve("flows/sealed");
    Path copy = directory.resolve("copy.json");
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      for (int offset = 0; offset < 20; offset++) {
        sink.append(Flows.joined(10, 0, offset));
        sink.seal(offset + 1, upTo(offset + 1));
        sink.sync();
        if (offset == 18) {
          Files.copy(SealedPart.read(sealed).keySet().iterator().next(), copy);
        }
        sink.commit(offset + 1, upTo(offset + 1));
      }
    }
    Files.copy(copy, sealed.resolve("1-19-0.json"));
    reopen();
    assertThat(table.compact()).isTrue();
    try (IcebergFlowSink sink = begin(2, upTo(19))) {
      sink.append(Flows.joined(10, 0, 19));
      assertThat(table.rows()).isEqualTo(200);
    }
    assertThat(SealedPart.read(sealed)).isEmpty();
  }

  @Test
  void filesOfRowsDiscardedByARewindAreDeleted() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      for (int offset = 0; offset < 12; offset++) {
        sink.append(Flows.joined(1_000, 0, offset)); // files of 5,000 rows
      }
      sink.seal(1, upTo(12));
      sink.sync();
      assertThat(dataFiles()).isPositive();
      try (IcebergFlowSink next = begin(2, Frontier.EMPTY)) {
        next.append(Flows.joined(7, 0, 0));
        assertThat(dataFiles()).isZero();
        assertThat(table.rows()).isEqualTo(7);
      }
    }
  }

  @Test
  void commitWithoutVersionHintIsFound() throws Exception {
    Path hint = directory.resolve("flows/metadata/version-hint.text");
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      Files.delete(hint);
      Files.createDirectories(hint.resolve("in the way"));
      sink.append(Flows.joined(10, 0, 0));
      sink.seal(1, upTo(1));
      sink.commit(1, upTo(1));
      assertThat(values("committed")).containsExactly("0|0|10");
      for (int offset = 1; offset < 30; offset++) { // the first versions are deleted
        sink.append(Flows.joined(10, 0, offset));
        sink.seal(offset + 1, upTo(offset + 1));
        sink.commit(offset + 1, upTo(offset + 1));
      }
    }
    assertThat(directory.resolve("flows/metadata/v1.metadata.json")).doesNotExist();
    Files.delete(hint.resolve("in the way"));
    Files.delete(hint);
    reopen();
    assertThat(table.rows()).isEqualTo(300);
  }

  @Test
  void rowsReplayedFromAnOlderCheckpointAreSkipped() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      sink.append(Flows.joined(10, 0, 0));
      sink.append(Flows.joined(20, 0, 1));
      sink.seal(1, upTo(2));
      sink.commit(1, upTo(2));
    }
    reopen();
    try (IcebergFlowSink sink = begin(2, Frontier.EMPTY)) {
      for (int offset = 0; offset < 3; offset++) {
        sink.append(Flows.joined(10 * (offset + 1), 0, offset));
      }
      assertThat(values("rows")).containsExactly("0|0|10", "0|1|20", "0|2|30");
    }
  }

  @Test
  void oneSnapshotHasTheRowsOfAllSinks() throws Exception {
    try (IcebergFlowSink one = begin(1, Frontier.EMPTY);
        IcebergFlowSink other = table.sink()) {
      other.begin(1, 0);
      one.append(Flows.joined(10, 0, 0));
      other.append(Flows.joined(20, 1, 0));
      one.seal(1, upTo(1));
      other.seal(1, new Frontier(Map.of(1, 1L)));
      one.commit(1, upTo(1));
      assertThat(values("committed")).containsExactly("0|0|10", "1|0|20");
      assertThat(table.committed()).isEqualTo(new Frontier(Map.of(0, 1L, 1, 1L)));
      other.commit(1, new Frontier(Map.of(1, 1L)));
      assertThat(values("committed")).containsExactly("0|0|10", "1|0|20");
    }
  }

  @Test
  void aSinkOfAnEarlierRunIsRejected() throws Exception {
    try (IcebergFlowSink before = begin(1, Frontier.EMPTY)) {
      before.append(Flows.joined(10, 0, 0));
      before.seal(1, upTo(1));
      try (IcebergFlowSink now = begin(2, Frontier.EMPTY)) {
        now.append(Flows.joined(5, 0, 0));
        assertThatThrownBy(() -> before.append(Flows.joined(1, 0, 1)))
            .isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> before.commit(1, upTo(1))).isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> table.rewind(2, Frontier.EMPTY))
            .isInstanceOf(FencedException.class);
        assertThat(values("rows")).containsExactly("0|0|5");
      }
    }
    reopen();
    assertThat(table.token()).isEqualTo(2);
  }

  @Test
  void fullBuffersAreWrittenBeforeTheirCheckpoint() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      for (int offset = 0; offset < 30; offset++) {
        sink.append(Flows.joined(1_000, 0, offset));
        assertThat(table.rows()).isEqualTo(1_000L * (offset + 1));
      }
      sink.seal(1, upTo(30));
      sink.commit(1, upTo(30));
      assertThat(rows("SELECT count(*), count(DISTINCT log_offset) FROM " + ALL, true))
          .containsExactly("30000|30");
    }
  }

  @Test
  void fullMemoryDoesNotMakeSmallFiles() throws Exception {
    long max = 4L << 20;
    int blocks = 150;
    table.close();
    openTable(1_000_000, max);
    FlowColumns columns = FlowColumns.of(Flows.SCHEMA);
    long rowBytes = TailChunk.bytes(columns, FlowPart.RECORDS) / TailChunk.CAPACITY;
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      for (int offset = 0; offset < blocks; offset++) {
        boolean isRecords = offset % 2 == 0; // each part has its buffers
        sink.append(isRecords ? Flows.records(1_000, 0, offset) : Flows.joined(1_000, 0, offset));
      }
      sink.seal(1, upTo(blocks));
      sink.sync();
      long times = blocks * 1_000L * rowBytes / (max / 2) + 1;
      assertThat(dataFiles()).isLessThanOrEqualTo(2 * times);
      assertThat(table.rows()).isEqualTo(blocks * 1_000L);
    }
  }

  @Test
  void smallFilesAreMergedWhileTheyAreRead() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      FlowBlock first = Flows.joined(1, 1, 0); // removing it expires snapshots
      first.longs(FlowColumn.TIME)[0] = 1_699_990_000_000_000L;
      sink.append(first);
      sink.seal(0, new Frontier(Map.of(1, 1L)));
      sink.commit(0, new Frontier(Map.of(1, 1L)));
      assertThat(table.remove(1_700_000_000_000_000L, NOTHING)).isEqualTo(1);
      for (int offset = 0; offset < 40; offset++) {
        sink.append(offset % 4 == 3 ? Flows.records(20, 0, offset) : Flows.joined(10, 0, offset));
        sink.seal(offset, upTo(offset + 1));
        sink.commit(offset, upTo(offset + 1));
      }
      String all = "SELECT * FROM " + ALL + " ORDER BY log_offset, log_index";
      List<String> before = rows(all);
      assertThat(before).hasSize(500);
      int merges = 0;
      try (DuckDBConnection reading = Connections.another(database);
          RowsView old = table.show(reading)) {
        old.readAll();
        while (table.compact()) {
          merges++;
        }
        assertThat(rows(all)).isEqualTo(before);
        assertThat(SqlRows.number(reading, "SELECT count(*) FROM " + ALL)).isEqualTo(500);
      }
      assertThat(merges).isPositive();
      assertThat(rows("SELECT count(*) FROM " + ALL, true)).containsExactly("500");
      sink.append(Flows.joined(10, 0, 5_000_000)); // another hour, which ends the previous one
      sink.seal(5_000_000, upTo(5_000_001));
      sink.commit(5_000_000, upTo(5_000_001));
      while (table.compact()) {
        merges++;
      }
      assertThat(table.files()).isEqualTo(3);
    }
    reopen();
    assertThat(table.token()).isEqualTo(1);
    assertThat(table.committed()).isEqualTo(new Frontier(Map.of(0, 5_000_001L, 1, 1L)));
    assertThat(rows("SELECT count(*), sum(log_index) FROM " + ALL)).containsExactly("510|3295");
  }

  @Test
  void replacedFilesThatASnapshotListsSurviveARestart() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      for (int offset = 0; offset < 16; offset++) {
        sink.append(Flows.joined(10, 0, offset));
        sink.seal(offset + 1, upTo(offset + 1));
        sink.sync();
        sink.commit(offset + 1, upTo(offset + 1));
      }
    }
    assertThat(table.compact()).isTrue();
    Path orphan = directory.resolve("flows/data/hour=1/orphan.parquet");
    Files.createDirectories(orphan.getParent());
    Files.createFile(orphan);
    FileTime old = FileTime.from(Instant.now().minus(2, ChronoUnit.DAYS));
    try (Stream<Path> all = Files.walk(directory.resolve("flows/data"))) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        Files.setLastModifiedTime(file, old);
      }
    }
    assertThat(dataFiles()).as("files, the merged one and the orphan").isEqualTo(18);
    reopen();
    assertThat(dataFiles()).isEqualTo(17);
    assertThat(orphan).doesNotExist();
  }

  @Test
  void rowsWithFutureTimesDoNotEndTheCurrentHour() throws Exception {
    Instant present = Instant.now().plusSeconds(60);
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      for (int offset = 0; offset < 3; offset++) {
        FlowBlock block = Flows.joined(10, 0, offset);
        Instant time = offset == 0 ? present.plus(3_650, ChronoUnit.DAYS) : present;
        Arrays.fill(block.longs(FlowColumn.TIME), ChronoUnit.MICROS.between(Instant.EPOCH, time));
        sink.append(block);
        sink.seal(offset, upTo(offset + 1));
        sink.commit(offset, upTo(offset + 1));
      }
      assertThat(table.files()).isEqualTo(3);
      assertThat(table.compact()).isFalse();
    }
  }

  @Test
  void eachHourHasItsFiles() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      sink.append(Flows.joined(10, 0, 0));
      sink.append(Flows.joined(10, 0, 5_000_000)); // 5,000 s later
      sink.seal(1, upTo(5_000_001));
      sink.commit(1, upTo(5_000_001));
    }
    assertThat(rows("SELECT count(DISTINCT date_trunc('hour', time)) FROM " + ALL, true))
        .containsExactly("2");
    assertThat(dataFiles()).isEqualTo(2);
  }

  @Test
  void filesOfRemovedHoursAreDeleted() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      sink.append(Flows.joined(10, 0, 0));
      sink.append(Flows.joined(20, 0, 5_000_000)); // 5,000 s later
      sink.append(Flows.joined(30, 0, 10_000_000));
      sink.seal(1, upTo(10_000_001));
      sink.commit(1, upTo(10_000_001));
    }
    assertThat(table.remove(1_700_003_600_000_000L, NOTHING)).isEqualTo(10);
    assertThat(values("rows")).containsExactly("0|5000000|20", "0|10000000|30");
    LogRange unrolled = new LogRange(upTo(5_000_000), upTo(10_000_001));
    assertThat(table.remove(1_700_007_200_000_000L, unrolled)).isZero();
    assertThat(table.remove(1_700_007_200_000_000L, NOTHING)).isEqualTo(20);
    assertThat(values("rows")).containsExactly("0|10000000|30");
    assertThat(dataFiles()).as("snapshots before the last removal have expired").isEqualTo(2);
    reopen();
    assertThat(values("rows")).containsExactly("0|10000000|30");
    assertThat(table.removed().rows()).isEqualTo(30);
    assertThat(table.token()).isEqualTo(1);
  }

  @Test
  void rowsStayAndAppearOnceIfTheLogLostItsEnd() throws Exception {
    try (IcebergFlowSink sink = begin(1, Frontier.EMPTY)) {
      for (int offset = 0; offset < 4; offset++) {
        sink.append(Flows.joined(1 << offset, 0, offset));
      }
      sink.seal(1, upTo(4));
      sink.commit(1, upTo(4));
    }
    reopen();
    // The checkpoint ends at 2 and the log at 3, so record 2 is replayed.
    table.beginEpoch(upTo(2), upTo(3), upTo(2).inEpoch(1));
    int next = io.millrace.wire.block.LogPartition.of(0, 1);
    try (IcebergFlowSink sink = begin(9, upTo(2).inEpoch(1))) {
      sink.append(Flows.joined(4, next, 2));
      sink.append(Flows.joined(32, next, 3));
      assertThat(values("rows"))
          .containsExactly("0|0|1", "0|1|2", "0|2|4", "0|3|8", next + "|3|32");
    }
  }
}
