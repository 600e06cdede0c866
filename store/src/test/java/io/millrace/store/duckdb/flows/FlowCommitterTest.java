package io.millrace.store.duckdb.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.Flows;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.disk.DiskSpace;
import io.millrace.store.duckdb.ledger.CounterTables;
import io.millrace.store.duckdb.offsets.CommitMark;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.FlowTableFile;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.store.duckdb.snapshot.RowChanges;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the committing thread does when it, or who waits for it, is disturbed. */
class FlowCommitterTest {
  private static final String TABLE = "flows";

  private DuckDBConnection database;
  private Map<FlowPart, FlowLayout> layouts;
  private FlowCommitter committer;

  @BeforeEach
  void open() throws SQLException {
    database = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    execute("ATTACH ':memory:' AS " + Catalog.DATABASE);
    execute("USE " + Catalog.DATABASE);
    execute("CREATE SCHEMA " + Catalog.RAW_SCHEMA);
    execute("CREATE TABLE main.names(id BIGINT, name VARCHAR)");
    execute(CounterTables.create());
    for (String statement : CommitMark.create()) {
      execute(statement);
    }
    layouts = FlowTableFile.open(database, TABLE, Flows.SCHEMA);
    committer = start(Flows.LATER);
  }

  private FlowCommitter start(Duration longestWait) throws SQLException {
    return start(longestWait, new RowChanges());
  }

  private FlowCommitter start(Duration longestWait, RowChanges changes) throws SQLException {
    return new FlowCommitter(
        database,
        TABLE,
        layouts,
        new NameDictionary(database.duplicate(), CommitMemory.UNSHARED),
        longestWait,
        micros -> {},
        changes,
        new DiskSpace(Path.of("."), 0, () -> 1));
  }

  @AfterEach
  void close() throws SQLException {
    committer.close();
    database.close();
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = database.createStatement()) {
      statement.execute(sql);
    }
  }

  private long stored() throws SQLException {
    return SqlRows.number(database, "SELECT count(*) FROM " + Catalog.rows(TABLE));
  }

  private void append(FlowBlock block) {
    FlowRows rows = new FlowRows(TABLE, Flows.SCHEMA);
    rows.take(block, Long.MIN_VALUE);
    committer.append(FlowPart.of(block), rows);
  }

  @Test
  void commitsBySizeWithoutWaiting() throws SQLException {
    int rows = 2_500;
    int blocks = 2 * FlowLane.FULL_COMMIT / rows;
    for (int offset = 0; offset < blocks; offset++) {
      append(Flows.joined(rows, 0, offset));
    }
    while (stored() == 0) {
      Thread.onSpinWait();
    }
    assertThat(stored() % 2_048).isZero(); // whole chunks
    committer.flush();
    assertThat(stored()).isEqualTo((long) rows * blocks);
    assertThat(committer.pendingRows()).isZero();
  }

  @Test
  void freshRowsAreCommittedWhenTheyFillARowGroup() throws SQLException {
    int rows = 2_500;
    for (int offset = 0; offset * rows < FlowLane.ROW_GROUP; offset++) {
      FlowBlock block = Flows.joined(rows, 0, offset);
      long farAhead = System.currentTimeMillis() * 1_000 + TimeUnit.HOURS.toMicros(1);
      Arrays.fill(block.longs(FlowColumn.TIME), 0, rows, farAhead); // fresh however slow the test
      append(block);
    }
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (stored() < FlowLane.ROW_GROUP) { // the longest wait is ten minutes
      assertThat(System.nanoTime()).isLessThan(deadline);
    }
  }

  @Test
  void aFailureReachesEveryCallerWithItsReason() throws SQLException {
    append(Flows.joined(10, 0, 0));
    execute("DROP VIEW " + Catalog.rows(TABLE));
    execute("DROP TABLE " + Catalog.raw(FlowPart.PACKETS.tableName(TABLE)));
    assertThatThrownBy(() -> committer.flush())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("cannot write to table flows");
    assertThatThrownBy(() -> append(Flows.joined(1, 0, 1))).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> committer.add(List.of())).isInstanceOf(StoreException.class);
  }

  /** DuckDB may notice before or behind the moment from which on the rows are there. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rowsOfACommitThatFoundNoMemoryAreThereOnce(boolean hasHappened) throws SQLException {
    committer.close();
    AtomicInteger commits = new AtomicInteger();
    RowChanges failing =
        new RowChanges() {
          @Override
          public void during(Commit commit) throws SQLException {
            if (commits.incrementAndGet() % 2 == 0) {
              super.during(commit);
            } else {
              super.during(hasHappened ? commit : () -> {});
              throw new SQLException("Failed to commit: failed to offload data block");
            }
          }
        };
    committer = start(Flows.LATER, failing);
    for (int flush = 0; flush < 3; flush++) {
      append(Flows.joined(5_000, 0, flush));
      committer.flush();
      assertThat(stored()).isEqualTo(5_000L * (flush + 1));
    }
    assertThat(commits).hasValue(hasHappened ? 3 : 6);
  }

  @Test
  void whoeverWaitsCanBeInterrupted() {
    append(Flows.joined(10, 0, 0));
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> committer.flush())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    committer.flush();
    assertThat(committer.pendingRows()).isZero();
  }

  @Test
  void closingForgetsWhatWasNotCommitted() throws SQLException {
    append(Flows.joined(10, 0, 0));
    committer.flush();
    append(Flows.joined(5_000, 0, 1));
    committer.close();
    assertThat(stored()).isEqualTo(10);
    assertThatThrownBy(() -> committer.flush()).isInstanceOf(StoreException.class);
    committer = start(Duration.ofMillis(1));
    append(Flows.joined(20, 0, 1));
    while (stored() != 30) {
      Thread.onSpinWait();
    }
  }
}
