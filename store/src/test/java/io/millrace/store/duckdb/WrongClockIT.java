package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.AnswerRows;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.RetentionConfig;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.TopResult;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A clock that was years ahead for a minute, and the rows of that minute. */
class WrongClockIT {
  private static final long YEAR = TimeUnit.DAYS.toMicros(365);
  private static final long HOUR = TimeUnit.HOURS.toMicros(1);
  private static final int ROWS = 100;

  @TempDir Path directory;

  private final long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  private long clock = now;
  private long offset;
  private DuckDbStore store;
  private FlowTable table;

  private void open(RollupConfig rollups) {
    store =
        new DuckDbStore(
            directory,
            StoreConfig.defaults().withRetention(new RetentionConfig(Duration.ofDays(7), 0)),
            rollups,
            4_000_000,
            () -> clock);
    table = store.table(Store.FLOWS, Flows.SCHEMA);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void write(long micros) {
    FlowBlock block = Flows.joined(ROWS, 0, offset++);
    Arrays.fill(block.longs(FlowColumn.TIME), 0, ROWS, micros);
    try (FlowWriter writer = table.writer()) {
      writer.append(block);
      writer.flush();
    }
    table.committed(new Frontier(Map.of(0, offset)));
    store.rollUp();
  }

  private static FlowQuery lastMinutes() {
    return FlowQuery.top(
        List.of("proto"),
        Measure.PACKETS,
        Optional.empty(),
        Optional.empty(),
        Optional.of(Duration.ofMinutes(5)),
        3,
        Store.FLOWS);
  }

  private long rows() {
    return AnswerRows.number(store, "SELECT count(*) FROM flows");
  }

  private void week() {
    for (int day = 6; day >= 0; day--) {
      write(now - day * 24L * HOUR - HOUR / 60);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsDeletedWhileTheClockIsAhead(boolean withRollups) {
    open(withRollups ? RollupConfig.DEFAULT : RollupConfig.NONE);
    week();
    store.retain();
    assertThat(rows()).isEqualTo(7 * ROWS);
    clock += 3 * YEAR;
    write(clock);
    store.retain();
    assertThat(rows()).isEqualTo(8 * ROWS);
    assertThat(store.delays()).anyMatch(line -> line.contains("clock of this machine jumped"));
    clock = now;
    store.retain();
    assertThat(rows()).isEqualTo(8 * ROWS);
    assertThat(store.delays())
        .noneMatch(line -> line.contains("jumped"))
        .anyMatch(line -> line.contains("ahead of this machine's clock"));
    if (withRollups) {
      assertThat(
              AnswerRows.number(
                  store,
                  "SELECT sum(\"rows\") FROM flows_minute_as WHERE bucket < now()::TIMESTAMP"))
          .isEqualTo(7 * ROWS);
    }
  }

  @Test
  void aStartWhileTheClockIsAheadDeletesNothing() {
    open(RollupConfig.DEFAULT);
    week();
    clock += 3 * YEAR;
    write(clock);
    store.close();
    open(RollupConfig.DEFAULT);
    store.retain();
    assertThat(rows()).isEqualTo(8 * ROWS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rangesThatEndNowExcludeRowsDatedAhead(boolean withRollups) {
    open(withRollups ? RollupConfig.DEFAULT : RollupConfig.NONE);
    week();
    write(now + 3 * YEAR);
    write(now - 2_000_000);
    TopResult last = store.top(lastMinutes());
    assertThat(last.rows().stream().mapToLong(TopResult.Row::flows).sum()).isEqualTo(2 * ROWS);
    assertThat(last.to()).isBefore(Instant.now().plusSeconds(1));
    String series = "SELECT %s FROM series('proto', last := '1h', measure := 'packets')";
    assertThat(
            AnswerRows.of(
                store,
                series.formatted(
                    "min(time) > now()::TIMESTAMP - INTERVAL 2 HOUR, max(time) < now()::TIMESTAMP,"
                        + " sum(value) > 0")))
        .containsExactly("true|true|true");
    assertThat(store.series(FlowQuery.series(FlowQuery.Measure.PACKETS, "proto")).freshTo())
        .isBefore(Instant.now().plusSeconds(1));
  }

  @Test
  void ifAllRowsAreDatedAheadTheyAreShown() {
    open(RollupConfig.DEFAULT);
    write(now + 3 * YEAR);
    TopResult last = store.top(lastMinutes());
    assertThat(last.rows().stream().mapToLong(TopResult.Row::flows).sum()).isEqualTo(ROWS);
  }
}
