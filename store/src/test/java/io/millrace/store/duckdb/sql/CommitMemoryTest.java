package io.millrace.store.duckdb.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommitMemoryTest {
  private static final long BYTES = 64L << 20; // as left by HeldMemory
  private static final String INSERT =
      "INSERT INTO f.t SELECT i, hash(i) // 2, 'name ' || i FROM range(100000) t(i)";

  @TempDir Path dir;
  private DuckDBConnection database;
  private CommitMemory memory;

  @BeforeEach
  void open() throws SQLException {
    database = DriverManager.getConnection("jdbc:duckdb:").unwrap(DuckDBConnection.class);
    HeldMemory.limit(database);
    SqlRows.execute(database, "ATTACH '" + dir.resolve("file.duckdb") + "' AS f");
    SqlRows.execute(database, "CREATE TABLE f.t(a BIGINT, b UBIGINT, c VARCHAR)");
    memory = new CommitMemory(database, BYTES);
    SqlRows.execute(database, "SET allowed_configs = ['memory_limit']");
    SqlRows.execute(database, "SET lock_configuration = true");
  }

  @AfterEach
  void close() throws SQLException {
    memory.close();
    database.close();
  }

  private String limit() throws SQLException {
    return SqlRows.strings(database, "SELECT current_setting('memory_limit')").get(0);
  }

  @Test
  void aCheckpointHasMemoryAlthoughQueriesUseAll() throws SQLException {
    SqlRows.execute(database, INSERT);
    try (HeldMemory held = new HeldMemory(database)) {
      memory.execute(database, INSERT);
      memory.execute(database, "CHECKPOINT f");
      assertThat(memory.isShort()).isFalse();
    }
    assertThat(SqlRows.number(database, "SELECT count(*) FROM f.t")).isEqualTo(200_000);
    memory.execute(database, "CHECKPOINT f");
    assertThat(memory.isShort()).isFalse();
    assertThat(limit()).isEqualTo("64.0 MiB");
  }

  @Test
  void theLimitIsSetOnceForCommitsThatFollowEachOther() throws SQLException {
    memory.execute(database, INSERT); // the first one lowers it again
    for (int i = 0; i < 2; i++) {
      memory.execute(database, INSERT);
      assertThat(limit()).as("after commit " + i).isEqualTo("320.0 MiB");
    }
    assertThat(memory.isShort()).as("a query checks").isFalse();
    assertThat(limit()).isEqualTo("64.0 MiB");
    memory.execute(database, INSERT);
    assertThat(limit()).as("after a commit while queries run").isEqualTo("64.0 MiB");
  }

  @Test
  void memoryUsedSinceTheLastCommitIsSpilledForTheNext() throws SQLException {
    String inUse = "SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory()";
    try (DuckDBConnection spilling =
        DriverManager.getConnection("jdbc:duckdb:").unwrap(DuckDBConnection.class)) {
      SqlRows.execute(spilling, "SET temp_directory = '" + dir.resolve("spill") + "'");
      SqlRows.execute(spilling, "SET memory_limit = '64MiB'");
      try (CommitMemory spillingMemory = new CommitMemory(spilling, BYTES)) {
        spillingMemory.execute(spilling, "CREATE TEMP TABLE held(x BIGINT)");
        spillingMemory.execute(spilling, "INSERT INTO held SELECT 1");
        SqlRows.execute(spilling, "INSERT INTO held SELECT hash(i) // 2 FROM range(20000000) t(i)");
        assertThat(SqlRows.number(spilling, inUse)).isGreaterThan(2 * BYTES);

        spillingMemory.during(
            () -> assertThat(SqlRows.number(spilling, inUse)).isLessThanOrEqualTo(BYTES));
      }
    }
  }

  @Test
  void commitsFailWithoutIt() throws SQLException {
    try (HeldMemory held = new HeldMemory(database)) {
      SQLException failure =
          catchThrowableOfType(
              SQLException.class,
              () -> {
                SqlRows.execute(database, INSERT);
                SqlRows.execute(database, "CHECKPOINT f");
              });
      assertThat((Throwable) failure).isNotNull();
    }
  }

  @Test
  void aConnectionIsUsableAfterARollbackWithoutMemory() throws SQLException {
    SqlRows.execute(database, INSERT);
    DuckDBConnection reading = database.duplicate();
    List<HeldMemory> held = new ArrayList<>();

    SQLException failure =
        catchThrowableOfType(
            SQLException.class,
            () ->
                SqlRows.snapshot(
                    reading,
                    memory,
                    () -> {
                      held.add(new HeldMemory(database));
                      held.get(0).toTheLast(database);
                      return SqlRows.number(reading, "SELECT count(DISTINCT b) FROM f.t");
                    }));

    assertThat(MemoryShortage.isCauseOf(failure)).isTrue();
    held.get(0).close();
    assertThat(SqlRows.number(reading, "SELECT count(*) FROM f.t")).isEqualTo(100_000);
  }

  @Test
  void reportsWhenQueriesUseTheReserve() throws SQLException {
    assertThat(memory.isShort()).isFalse();
    HeldMemory held =
        memory.supply(
            () -> {
              HeldMemory taken = new HeldMemory(database);
              assertThat(memory.isShort()).isTrue();
              return taken;
            });
    assertThat(memory.isShort()).as("it cannot be lowered yet").isTrue();
    held.close();
    assertThat(memory.isShort()).isFalse();
    assertThat(limit()).isEqualTo("64.0 MiB");
  }
}
