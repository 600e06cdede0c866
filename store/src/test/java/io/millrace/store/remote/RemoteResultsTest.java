package io.millrace.store.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.AnswerRows;
import io.millrace.store.FencedException;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.TableNames;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RemoteResultsTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final TableSchema SCHEMA =
      TableSchema.builder().text("country").number("packets").build();

  @TempDir Path directory;
  private Store store;
  private StoreServer server;

  @BeforeEach
  void start() throws IOException {
    store = new DuckDbStore(directory, StoreConfig.defaults());
    server = new StoreServer(store, StoreServer.anyLocalPort());
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
    store.close();
  }

  private RemoteSink<TableBlock, Long> open(String table, TableSchema schema) {
    return RemoteSink.open(
        "127.0.0.1",
        server.address().getPort(),
        StoreSecret.NONE,
        table,
        schema,
        List.of(),
        TIMEOUT);
  }

  private RemoteSink<TableBlock, Long> open() {
    return open("counts", SCHEMA);
  }

  private static TableBlock block(TableSchema schema, String country, long packets) {
    TableBlock block = new TableBlock(schema, 1);
    block.texts(0).add(country);
    block.longs(1)[0] = packets;
    block.rows(1);
    return block;
  }

  private static TableBlock block(String country, long packets) {
    return block(SCHEMA, country, packets);
  }

  private List<String> rows(String sql) {
    return AnswerRows.of(store, sql);
  }

  private static void append(
      BlockSink<TableBlock, Long> writer, TableBlock block, long checkpoint) {
    writer.seal(checkpoint, checkpoint);
    writer.append(block);
  }

  @Test
  void rowsAreVisibleAfterFlushOrSealAndRewindToACheckpoint() {
    try (RemoteSink<TableBlock, Long> first = open();
        RemoteSink<TableBlock, Long> second = open()) {
      first.rewind(5, BlockSink.NO_CHECKPOINT);
      first.begin(5, BlockSink.NO_CHECKPOINT);
      second.begin(5, 1);
      first.append(block("XA", 1));
      second.append(block("XB", 2));
      assertThat(rows("SELECT * FROM counts")).isEmpty();
      second.seal(2, 2L);
      assertThat(rows("SELECT * FROM counts")).containsExactly("XB|2");
      second.append(block(null, 3));
      first.flush();
      second.flush();
      assertThat(rows("SELECT * FROM counts ORDER BY packets"))
          .containsExactly("XA|1", "XB|2", "null|3");
    }
    try (RemoteSink<TableBlock, Long> next = open()) {
      next.rewind(6, 2L);
      assertThat(rows("SELECT * FROM counts ORDER BY packets")).containsExactly("XA|1", "XB|2");
    }
    assertThat(server.counts().rejected()).isZero();
  }

  @Test
  void fencedWriterChangesNothing() {
    try (RemoteSink<TableBlock, Long> frozen = open();
        RemoteSink<TableBlock, Long> next = open()) {
      frozen.rewind(7, 0L);
      frozen.begin(7, BlockSink.NO_CHECKPOINT);
      append(frozen, block("XA", 1), 0);
      next.rewind(8, 0L);
      next.begin(8, BlockSink.NO_CHECKPOINT);
      assertThatThrownBy(frozen::flush)
          .isInstanceOf(FencedException.class)
          .hasMessageContaining("token 7");
      append(next, block("XB", 2), 0);
      next.flush();
      assertThat(rows("SELECT * FROM counts")).containsExactly("XB|2");
    }
  }

  @Test
  void writerWithOldColumnsChangesNothing() {
    TableSchema more = TableSchema.builder().text("country").number("packets").number("b").build();
    try (RemoteSink<TableBlock, Long> frozen = open();
        RemoteSink<TableBlock, Long> next = openAfter(frozen, more)) {
      next.rewind(2, 0L);
      assertThatThrownBy(frozen::flush).isInstanceOf(StoreException.class);
      assertThat(rows("SELECT * FROM counts")).isEmpty();
    }
  }

  /** Opens the table with other columns before a writer's rows are flushed. */
  private RemoteSink<TableBlock, Long> openAfter(
      RemoteSink<TableBlock, Long> frozen, TableSchema schema) {
    frozen.rewind(1, 0L);
    frozen.begin(1, BlockSink.NO_CHECKPOINT);
    append(frozen, block("XA", 1), 0);
    return open("counts", schema);
  }

  @Test
  void reportsErrorsOfTheStoreToTheWriter() {
    try (RemoteSink<TableBlock, Long> sink = open()) {
      sink.rewind(1, 0L);
      sink.begin(1, BlockSink.NO_CHECKPOINT);
      TableSchema other = TableSchema.builder().text("city").number("packets").build();
      append(sink, block(other, "Here", 1), 0);
      assertThatThrownBy(sink::flush)
          .isInstanceOf(WrongSchemaException.class)
          .hasMessageContaining("city");
    }
    TableSchema wrong = TableSchema.builder().number("country").build();
    assertThatThrownBy(() -> open("counts", wrong).close())
        .isInstanceOf(WrongSchemaException.class)
        .hasMessageContaining("country");
  }

  @Test
  void rejectsInvalidNamesOfResultTables() {
    assertThatThrownBy(() -> open(Store.FLOWS, SCHEMA).close()).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> open("replay_1", SCHEMA).close()).isInstanceOf(StoreException.class);
    open(TableNames.ofReplay("replay_20260131_120000_000", "counts"), SCHEMA).close();
    assertThat(store.resultTables())
        .containsExactly("device_names", "replay_20260131_120000_000_counts");
  }
}
