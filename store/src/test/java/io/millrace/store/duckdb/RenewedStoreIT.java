package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.Cancellation;
import io.millrace.store.ExportedRows;
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
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.testing.Await;
import io.millrace.wire.block.Frontier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that is opened anew because of the memory that DuckDB keeps of row groups. */
class RenewedStoreIT {
  private static final QueryRequest COUNT =
      new QueryRequest("SELECT count(*) FROM flows", Duration.ofMinutes(1), 1);
  private static final QueryRequest ENDLESS =
      new QueryRequest("SELECT count(*) FROM range(100000000000)", Duration.ofMinutes(5), 1);

  @TempDir Path directory;
  private final AtomicReference<DuckDbStore> heavy = new AtomicReference<>();
  private final AtomicInteger looks = new AtomicInteger();
  private volatile double weight = 2;
  private DurableStore store;
  private int offset;

  @BeforeEach
  void open() {
    store =
        new DurableStore(
            () -> new DuckDbStore(directory, StoreConfig.defaults()),
            one -> one == heavy.get() && looks.incrementAndGet() > 0 ? weight : 0,
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
    heavy.set(before);
    awaitAnother(before);
  }

  private void awaitAnother(DuckDbStore before) {
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
    write(table(), FlowLane.ROW_GROUP / 2);
    long half = store.opened().rowGroupBytes();
    assertThat(half).isBetween(10 * 4_096L, 40 * 4_096L);
    write(table(), 2 * FlowLane.ROW_GROUP);
    assertThat(store.opened().rowGroupBytes()).isEqualTo(5 * half);
    write(table(), 2 * FlowLane.ROW_GROUP + 1);
    assertThat(store.opened().rowGroupBytes()).as("begins a third").isEqualTo(11 * half);
    assertThat(store.opened().weight()).isLessThan(1);
    renew();
    assertThat(store.opened().rowGroupBytes()).isZero();
    assertThat(count()).isEqualTo(9 * FlowLane.ROW_GROUP / 2 + 1);
  }

  @Test
  void whatWasRemovedDoesNotCount() throws Exception {
    write(table(), 2 * FlowLane.ROW_GROUP);
    write(table(), 2 * FlowLane.ROW_GROUP);
    long four = store.opened().rowGroupBytes();
    SqlRows.execute(
        store.opened().connection(), "DELETE FROM millrace.raw.flows WHERE log_offset = 0");
    store.opened().checkpoint();
    assertThat(store.opened().rowGroupBytes()).isEqualTo(four / 2);
  }

  /** Without that each question reads the places in the log of all rows until the next roll. */
  @Test
  void howEarlyRowsArrivedStaysKnown() {
    FlowTable table = table();
    table.rewind(1, Frontier.EMPTY);
    write(table, 10);
    write(table, 10);
    Frontier rolled = new Frontier(Map.of(0, 1L));
    String before = since(rolled);
    assertThat(before).isNotEmpty();
    renew();
    assertThat(since(rolled)).isEqualTo(before);
    table().rewind(2, new Frontier(Map.of(0, 2L)));
    assertThat(since(rolled)).isEqualTo(before);
  }

  private String since(Frontier rolled) {
    return store.opened().changes().arrivals(Store.FLOWS).since(rolled, Set.of(0));
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
    CompletableFuture<Void> running = askEndlessly(new Cancellation());
    DuckDbStore before = store.opened();
    heavy.set(before);
    Await.until("it is known to be heavy", () -> looks.get() > 0);
    CompletableFuture<DuckDbStore> waiting =
        CompletableFuture.supplyAsync(() -> count() == 10 ? store.opened() : null);
    assertThatThrownBy(() -> running.get(1, TimeUnit.MINUTES))
        .cause()
        .isInstanceOfSatisfying(
            QueryException.class,
            e -> assertThat(e.reason()).isEqualTo(QueryException.Reason.CLOSED));
    assertThat(waiting.get(1, TimeUnit.MINUTES)).isNotNull().isNotSameAs(before);
  }

  private CompletableFuture<Void> askEndlessly(Cancellation cancellation) {
    CompletableFuture<Void> running =
        CompletableFuture.runAsync(
            () -> {
              try (QueryResult result = store.query(ENDLESS, cancellation)) {
                result.next();
              }
            });
    Await.until("the query", () -> store.opened().isQueried());
    return running;
  }

  @Test
  void aLittleTooMuchWaitsForAMomentWithoutQueries() {
    write(table(), 10);
    DuckDbStore before = store.opened();
    Cancellation cancellation = new Cancellation();
    CompletableFuture<Void> running = askEndlessly(cancellation);
    weight = 1.2;
    heavy.set(before);
    Await.until("looked at more often than queries are waited for", () -> looks.get() > 10);
    assertThat(store.opened()).isSameAs(before);
    assertThat(count()).isEqualTo(10);
    assertThat(running).isNotDone();
    cancellation.cancel();
    awaitAnother(before);
  }

  @Test
  void exportsAreWaitedFor() throws Exception {
    write(table(), 10);
    DuckDbStore before = store.opened();
    ExportedRows rows =
        store.exportRows(Store.FLOWS, Instant.EPOCH, Instant.now(), new Cancellation());
    assertThat(rows.rows()).isEqualTo(10);
    heavy.set(before);
    Await.until("looked at some times", () -> looks.get() > 5);
    assertThat(store.opened()).isSameAs(before);
    Files.delete(rows.file()); // as who has read it does
    awaitAnother(before);
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
