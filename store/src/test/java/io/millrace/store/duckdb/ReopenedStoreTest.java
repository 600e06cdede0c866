package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.ResultTable;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that is closed while jobs use its tables, as after a failure. */
class ReopenedStoreTest {
  private static final TableSchema RESULT =
      TableSchema.builder().time("minute").number("bytes").build();

  @TempDir Path directory;

  private DuckDbStore open() {
    return new DuckDbStore(directory, StoreConfig.defaults());
  }

  private static ResultTable results(DuckDbStore store) {
    return store.results("sums", RESULT, List.of("minute"));
  }

  private static TableBlock row() {
    TableBlock block = new TableBlock(RESULT, 1);
    block.longs(0)[0] = 60_000_000;
    block.longs(1)[0] = 1;
    block.rows(1);
    return block;
  }

  @Test
  void idleWritersDoNotKeepItsFileOpen() {
    DuckDbStore store = open();
    FlowTable flows = store.table(Store.FLOWS, Flows.SCHEMA);
    ResultTable results = results(store);
    try (FlowWriter flowWriter = flows.writer();
        BlockSink<TableBlock, Long> writer = results.writer(results.token())) {
      writer.append(row());
      writer.flush();
      store.close();
      try (DuckDbStore again = open()) {
        assertThat(results(again).rows()).isOne();
        writer.append(row());
        assertThatThrownBy(writer::flush).isInstanceOf(StoreException.class);
        assertThat(results(again).rows()).isOne();
      }
    }
  }

  @Test
  void startingQueriesDoNotKeepItOpen() throws Exception {
    for (int turn = 0; turn < 10; turn++) {
      DuckDbStore store = open();
      CountDownLatch asked = new CountDownLatch(8);
      ExecutorService askers = Executors.newFixedThreadPool(8);
      for (int i = 0; i < 8; i++) {
        askers.execute(() -> askUntilClosed(store, asked));
      }
      askers.shutdown();
      assertThat(asked.await(1, TimeUnit.MINUTES)).as("all have asked").isTrue();
      store.close();
      assertThat(askers.awaitTermination(1, TimeUnit.MINUTES)).as("ended with the store").isTrue();
      open().close();
    }
  }

  /** Runs queries that take minutes, with a time limit of milliseconds. */
  private static void askUntilClosed(DuckDbStore store, CountDownLatch asked) {
    QueryRequest request =
        new QueryRequest("SELECT count(*) FROM range(100000000000)", Duration.ofMillis(5), 1);
    while (true) {
      try (QueryResult result = store.query(request)) {
        result.next();
      } catch (QueryException e) {
        asked.countDown();
        if (e.reason() == QueryException.Reason.CLOSED) {
          return;
        }
      }
    }
  }
}
