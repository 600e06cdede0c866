package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.flows.FlowLane;
import io.millrace.store.duckdb.sql.RowGroupMemory;
import io.millrace.testing.Await;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that is opened anew because of the memory that DuckDB keeps of row groups. */
class RenewedStoreTest {
  private static final QueryRequest COUNT =
      new QueryRequest("SELECT count(*) FROM flows", Duration.ofMinutes(1), 1);
  private static final QueryRequest ENDLESS =
      new QueryRequest("SELECT count(*) FROM range(100000000000)", Duration.ofMinutes(5), 1);

  @TempDir Path directory;
  private final AtomicBoolean isHeavy = new AtomicBoolean();
  private DurableStore store;
  private int offset;

  @BeforeEach
  void open() {
    store =
        new DurableStore(
            () -> new DuckDbStore(directory, StoreConfig.defaults()),
            one -> isHeavy.getAndSet(false),
            TimeUnit.MILLISECONDS.toNanos(50));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void write(FlowTable table, int rows) {
    try (FlowWriter writer = table.writer(Duration.ofHours(1))) {
      writer.append(Flows.bare(rows, 0, offset++));
      writer.flush();
    }
  }

  private FlowTable table() {
    return store.table(Store.FLOWS, Flows.SCHEMA);
  }

  private void renew() {
    DuckDbStore before = store.opened();
    isHeavy.set(true);
    Await.until("a store opened anew", () -> store.opened() != null && store.opened() != before);
  }

  private long count() {
    try (QueryResult result = store.query(COUNT)) {
      result.next();
      return (Long) result.value(0);
    }
  }

  @Test
  void whatIsKeptOfRowGroupsIsCountedAndGivenBack() throws Exception {
    write(table(), 100);
    assertThat(store.opened().rowGroupBytes()).as("less than a row group").isZero();
    write(table(), 2 * FlowLane.ROW_GROUP);
    long two = store.opened().rowGroupBytes();
    assertThat(two).isBetween(2 * 20 * 4_096L, 2 * 80 * 4_096L);
    write(table(), 2 * FlowLane.ROW_GROUP);
    assertThat(store.opened().rowGroupBytes()).isEqualTo(2 * two);
    assertThat(store.opened().isHeavy()).isFalse();
    renew();
    assertThat(store.opened().rowGroupBytes()).isZero();
    assertThat(count()).isEqualTo(100 + 4 * FlowLane.ROW_GROUP);
  }

  @Test
  void writersOfBeforeFailAndNewOnesGoOn() {
    FlowTable before = table();
    write(before, 10);
    renew();
    assertThatThrownBy(() -> write(before, 10)).isInstanceOf(StoreException.class);
    write(table(), 10);
    assertThat(count()).isEqualTo(20);
    assertThat(store.problem()).isEmpty();
  }

  @Test
  void queriesOfThatMomentWaitAndThoseThatRunGetTimeToEnd() throws Exception {
    write(table(), 10);
    CompletableFuture<Void> running =
        CompletableFuture.runAsync(
            () -> {
              try (QueryResult result = store.query(ENDLESS)) {
                result.next();
              }
            });
    Await.until("the query", () -> store.opened().isQueried());
    DuckDbStore before = store.opened();
    isHeavy.set(true);
    Await.until("the store is heavy", () -> !isHeavy.get());
    CompletableFuture<DuckDbStore> waiting =
        CompletableFuture.supplyAsync(() -> count() == 10 ? store.opened() : null);
    assertThatThrownBy(() -> running.get(1, TimeUnit.MINUTES))
        .cause()
        .isInstanceOfSatisfying(
            QueryException.class,
            e -> assertThat(e.reason()).isEqualTo(QueryException.Reason.CLOSED));
    assertThat(waiting.get(1, TimeUnit.MINUTES)).isNotNull().isNotSameAs(before);
  }

  @Test
  void theLargerTheMemoryTheMoreIsLetStand() throws SQLException {
    assertThat(RowGroupMemory.mostBytes(256L << 20)).isEqualTo(384L << 20);
    assertThat(RowGroupMemory.mostBytes(4L << 30)).isEqualTo(1536L << 20);
    RowGroupMemory memory = new RowGroupMemory();
    memory.wrote("a", 24_576, 2, 40);
    memory.wrote("b", 12_288, 1, 10);
    assertThat(memory.writtenBytes()).isEqualTo(90 * 4_096);
    assertThat(memory.bytes(table -> 1 << 20)).isEqualTo(90 * 4_096);
    assertThat(memory.bytes(table -> table.equals("a") ? 6_144 : 0)).isEqualTo(20 * 4_096);
  }
}
