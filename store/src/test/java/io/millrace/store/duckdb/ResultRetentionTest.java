package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultSpec;
import io.millrace.store.ResultTable;
import io.millrace.store.RetentionConfig;
import io.millrace.store.StoreConfig;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configured retention of a table of results overrides the declared one. */
class ResultRetentionTest {
  private static final long HOUR = 3_600_000_000L;
  private static final TableSchema SCHEMA =
      TableSchema.builder().time("hour").text("who").number("bytes").build();
  private static final ResultRetention TEN_HOURS = new ResultRetention(Duration.ofHours(10), 0);

  @TempDir Path directory;

  private final SplittableRandom random = new SplittableRandom(1);
  private DuckDbStore store;

  @BeforeEach
  void open() {
    open(Map.of());
  }

  private void open(Map<String, ResultRetention> configured) {
    store =
        new DuckDbStore(
            directory.resolve("store"),
            StoreConfig.defaults()
                .withRetention(new RetentionConfig(Duration.ofDays(7), 0, configured, 1)),
            RollupConfig.NONE,
            1_000_000,
            () -> 1_000 * HOUR);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private ResultTable table(String name, ResultRetention retention, String... key) {
    return store.results(new ResultSpec(name, SCHEMA, List.of(key), retention));
  }

  private TableBlock block(int hour, int rows) {
    TableBlock block = new TableBlock(SCHEMA, rows);
    for (int row = 0; row < rows; row++) {
      block.longs(0)[row] = hour * HOUR;
      block.texts(1).add("who " + row);
      block.longs(2)[row] = random.nextLong();
    }
    block.rows(rows);
    return block;
  }

  private void write(ResultTable table, int fromHour, int toHour, int rows) {
    try (BlockSink<TableBlock, Long> writer = table.writer(0)) {
      for (int hour = fromHour; hour < toHour; hour++) {
        writer.append(block(hour, rows));
      }
      writer.flush();
    }
  }

  private List<Object> hours(String table) {
    String sql =
        "SELECT count(*), min(epoch_us(hour)) // %d, max(epoch_us(hour)) // %d FROM %s"
            .formatted(HOUR, HOUR, table);
    try (QueryResult row = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 1))) {
      assertThat(row.next()).isTrue();
      return List.of(row.value(0), row.value(1), row.value(2));
    }
  }

  @Test
  void rowsExpireByAgeRelativeToTheNewest() {
    write(table("alerts", TEN_HOURS), 0, 30, 3);
    write(table("totals", TEN_HOURS, "hour", "who"), 0, 30, 3);
    write(table("kept", ResultRetention.FOR_EVER), 0, 30, 3);
    write(table("replay_20260131_120000_123_alerts", ResultRetention.FOR_EVER), 0, 30, 3);
    store.retain();
    assertThat(hours("alerts")).isEqualTo(List.of(33L, 19L, 29L));
    assertThat(hours("totals")).isEqualTo(List.of(33L, 19L, 29L));
    assertThat(hours("kept")).isEqualTo(List.of(90L, 0L, 29L));
    assertThat(hours("replay_20260131_120000_123_alerts")).isEqualTo(List.of(90L, 0L, 29L));
  }

  @Test
  void aRowFromTheFutureExpiresNoOthers() {
    ResultTable table = table("alerts", TEN_HOURS);
    write(table, 990, 1_000, 1);
    write(table, 5_000, 5_001, 1);
    store.retain();
    assertThat(hours("alerts")).isEqualTo(List.of(11L, 990L, 5_000L));
  }

  @Test
  void tablesKeepAYearByDefaultAndThoseOfReplaysAll() {
    ResultTable table = store.results("of_somebody", SCHEMA, List.of());
    write(table, 0, 1, 1);
    write(table, 367 * 24, 367 * 24 + 1, 1);
    ResultTable replayed = store.results("replay_20260131_120000_123_x", SCHEMA, List.of());
    write(replayed, 0, 1, 1);
    write(replayed, 367 * 24, 367 * 24 + 1, 1);
    close();
    store =
        new DuckDbStore(
            directory.resolve("store"),
            StoreConfig.defaults(),
            RollupConfig.NONE,
            1_000_000,
            () -> Long.MAX_VALUE);
    store.results("of_somebody", SCHEMA, List.of());
    store.results("replay_20260131_120000_123_x", SCHEMA, List.of());
    store.retain();
    assertThat(hours("of_somebody")).isEqualTo(List.of(1L, 367 * 24L, 367 * 24L));
    assertThat(hours("replay_20260131_120000_123_x")).isEqualTo(List.of(2L, 0L, 367 * 24L));
  }

  @Test
  void theConfigurationOverridesTheDeclaration() {
    close();
    open(Map.of("alerts", new ResultRetention(Duration.ofHours(2), 0)));
    write(table("alerts", TEN_HOURS), 0, 30, 1);
    store.retain();
    assertThat(hours("alerts")).isEqualTo(List.of(3L, 27L, 29L));
  }

  @Test
  void theOldestRowsOfATooLargeTableAreRemoved() {
    ResultTable table = table("alerts", new ResultRetention(Duration.ZERO, 2 << 20));
    write(table, 0, 40, 20_000);
    store.checkpoint();
    store.retain();
    List<Object> left = hours("alerts");
    assertThat((Long) left.get(0)).isBetween(20_000L, 400_000L);
    assertThat((Long) left.get(1)).isPositive();
    assertThat(left.get(2)).isEqualTo(39L);
  }

  @Test
  void aRowThatIsBeingReplacedIsNotRemoved() {
    ResultTable table = table("totals", TEN_HOURS, "hour", "who");
    write(table, 0, 30, 1);
    try (BlockSink<TableBlock, Long> writer = table.writer(0)) {
      writer.append(block(0, 1)); // replaces an expired row
      store.retain();
      writer.flush();
    }
    assertThat(hours("totals")).isEqualTo(List.of(12L, 0L, 29L));
    store.retain();
    assertThat(hours("totals")).isEqualTo(List.of(11L, 19L, 29L));
  }
}
