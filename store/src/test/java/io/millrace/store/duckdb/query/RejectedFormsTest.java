package io.millrace.store.duckdb.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.Cancellation;
import io.millrace.store.duckdb.rewrite.Rewriter;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Predicate;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A form that DuckDB rejects aborts the transaction, and must not affect the next form. */
class RejectedFormsTest {
  private static final List<String> FORMS =
      List.of("SELECT nosuch FROM numbers", "SELECT error('x')", "SELECT n FROM numbers");

  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(1);
  private DuckDbQueryResult result;

  @BeforeEach
  void open() throws SQLException {
    DuckDBConnection connection = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    SqlRows.execute(connection, "CREATE TABLE numbers AS SELECT 42 AS n");
    SqlRows.execute(connection, "BEGIN TRANSACTION READ ONLY");
    result =
        new DuckDbQueryResult(
            new ReadTransaction(connection, new NoRows()),
            clock,
            new HashSet<>(),
            Duration.ofMinutes(1),
            10,
            new Cancellation(),
            null);
  }

  @AfterEach
  void close() {
    result.close();
    clock.shutdown();
  }

  @Test
  void theNextFormIsRun() throws SQLException {
    result.start(
        new Rewriter.Forms(FORMS, "", new Rewriter.Files("", file -> true)), "SELECT", false);
    assertThat(result.next()).isTrue();
    assertThat(result.value(0)).isEqualTo(42L);
    assertThat(result.next()).isFalse();
  }

  @Test
  void theNextFormIsDescribed() throws SQLException {
    assertThat(result.columns(List.of(FORMS.get(0), FORMS.get(2)), "SELECT"))
        .extracting(column -> column.name())
        .containsExactly("n");
  }

  private static final class NoRows implements RowsView {
    @Override
    public Map<FlowPart, RowExtent> extents(String table) {
      return Map.of();
    }

    @Override
    public List<RowExtent> files(String table) {
      return List.of();
    }

    @Override
    public long removedBefore(String table) {
      return Long.MIN_VALUE;
    }

    @Override
    public Map<FlowPart, RowExtent> read(String table, Predicate<RowExtent> wanted) {
      return Map.of();
    }

    @Override
    public void readAll() {}

    @Override
    public void close() {}
  }
}
