package io.millrace.store;

import static io.millrace.store.StoreContract.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.remote.RemoteSink;
import io.millrace.store.remote.StoreSecret;
import io.millrace.store.remote.StoreServer;
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

/** Tables in which a row replaces an earlier one with the same key. */
class KeyedResultsTest {
  private static final TableSchema TOTALS =
      TableSchema.builder().time("day").text("gateway").number("bytes").build();
  private static final List<String> KEY = List.of("day", "gateway");
  private static final String ALL =
      "SELECT epoch_us(day)::VARCHAR || ' ' || gateway || ' ' || bytes FROM totals ORDER BY ALL";

  @TempDir private Path directory;
  private Store store;

  @BeforeEach
  void open() {
    store =
        new DuckDbStore(directory, StoreConfig.defaults().withListen(StoreServer.anyLocalPort()));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static TableBlock totals(Object... values) {
    TableBlock block = new TableBlock(TOTALS, values.length / 3);
    for (int row = 0; row < values.length / 3; row++) {
      block.longs(0)[row] = (Integer) values[3 * row];
      block.texts(1).add((String) values[3 * row + 1]);
      block.longs(2)[row] = (Integer) values[3 * row + 2];
    }
    block.rows(values.length / 3);
    return block;
  }

  private ResultTable table() {
    return store.results("totals", TOTALS, KEY);
  }

  private static void append(
      BlockSink<TableBlock, Long> writer, TableBlock block, long checkpoint) {
    writer.seal(checkpoint, checkpoint);
    writer.append(block);
  }

  @Test
  void aLaterRowReplacesAnEarlierOne() {
    try (BlockSink<TableBlock, Long> writer = table().writer(0)) {
      append(writer, totals(1, "a", 10, 1, "b", 20, 2, "a", 30), 0);
      writer.flush();
      append(writer, totals(1, "a", 11), 1);
      append(writer, totals(1, "a", 12, 2, "b", 40), 1);
      writer.flush();
    }

    assertThat(rows(store, ALL)).containsExactly("1 a 12", "1 b 20", "2 a 30", "2 b 40");
  }

  @Test
  void severalWritersReplaceRowsOfTheirOwnKeys() {
    try (BlockSink<TableBlock, Long> one = table().writer(0);
        BlockSink<TableBlock, Long> two = table().writer(0)) {
      append(one, totals(1, "a", 10), 0);
      append(two, totals(1, "b", 20), 0);
      one.flush();
      two.flush();
      append(one, totals(1, "a", 11), 0);
      append(two, totals(1, "b", 21), 0);
      two.flush();
      one.flush();
    }

    assertThat(rows(store, ALL)).containsExactly("1 a 11", "1 b 21");
  }

  @Test
  void rewindKeepsKeyedRows() {
    try (BlockSink<TableBlock, Long> writer = table().writer(0)) {
      append(writer, totals(1, "a", 10), 0);
      writer.flush();
      append(writer, totals(1, "a", 11), 3);
      writer.flush();
    }
    assertThat(table().rewind(1, 2L)).isZero();
    assertThat(rows(store, ALL)).containsExactly("1 a 11");

    assertThat(table().rewind(2, ResultTable.NO_CHECKPOINT)).isEqualTo(1);
    assertThat(rows(store, ALL)).isEmpty();
  }

  @Test
  void unflushedRowsAreDiscarded() {
    try (BlockSink<TableBlock, Long> writer = table().writer(0)) {
      append(writer, totals(1, "a", 10), 0);
      writer.flush();
      append(writer, totals(1, "a", 11), 0);
    }

    assertThat(rows(store, ALL)).containsExactly("1 a 10");
  }

  @Test
  void comesThroughAConnection() throws IOException {
    try (StoreServer server = new StoreServer(store, StoreServer.anyLocalPort())) {
      server.start();
      try (RemoteSink<TableBlock, Long> sink =
          RemoteSink.open(
              "127.0.0.1",
              server.address().getPort(),
              StoreSecret.NONE,
              "totals",
              TOTALS,
              KEY,
              Duration.ofSeconds(10))) {
        sink.rewind(1, 0L);
        sink.begin(1, BlockSink.NO_CHECKPOINT);
        append(sink, totals(1, "a", 10), 0);
        sink.flush();
        append(sink, totals(1, "a", 11), 0);
        sink.flush();
      }
    }

    assertThat(rows(store, ALL)).containsExactly("1 a 11");
  }

  @Test
  void aKeyIsMadeOfColumns() {
    assertThatThrownBy(() -> store.results("totals", TOTALS, List.of("nothing")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no column nothing");
  }

  @Test
  void aViewShowsAQueryOfThem() {
    try (BlockSink<TableBlock, Long> writer = table().writer(0)) {
      append(writer, totals(1, "a", 10, 1, "b", 20), 0);
      writer.flush();
    }
    store.resultView("greatest", "SELECT gateway FROM totals ORDER BY bytes DESC LIMIT 1");
    store.resultView("greatest", "SELECT gateway, bytes FROM totals ORDER BY bytes DESC LIMIT 1");

    assertThat(rows(store, "SELECT gateway || bytes FROM greatest")).containsExactly("b20");
    assertThatThrownBy(() -> store.resultView("totals", "SELECT 1"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
