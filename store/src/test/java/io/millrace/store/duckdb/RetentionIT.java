package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.AnswerRows;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.FlowSchema;
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
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetentionIT {
  private static final long HOUR = 3_600_000_000L;
  private static final long START = 1_700_000_000_000_000L / HOUR * HOUR;
  private static final int ROWS = 10_000;

  @TempDir Path directory;

  private final SplittableRandom random = new SplittableRandom(1);
  private DuckDbStore store;
  private FlowTable table;
  private long offset;

  private void open(RetentionConfig retention, RollupConfig rollups) {
    store =
        new DuckDbStore(
            directory.resolve("store"),
            StoreConfig.defaults().withRetention(retention),
            rollups,
            1_000_000,
            () -> Long.MAX_VALUE);
    table = store.table(Store.FLOWS, new FlowSchema(List.of()));
  }

  private void openFor(int hours) {
    open(
        new RetentionConfig(Duration.ofHours(hours), 0),
        RollupStore.portAlone(RollupConfig.DEFAULT));
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Rows of an hour, which compress badly. */
  private void write(int hour) {
    FlowBlock block = Flows.bare(ROWS, 0, offset++);
    for (int i = 0; i < ROWS; i++) {
      block.longs(FlowColumn.TIME)[i] = START + hour * HOUR + i * (HOUR / ROWS);
      block.longs(FlowColumn.BYTES)[i] = random.nextLong() >>> 34;
      block.addressHigh(FlowColumn.SRC_ADDR)[i] = random.nextLong();
      block.addressLow(FlowColumn.SRC_ADDR)[i] = random.nextLong();
    }
    try (FlowWriter writer = table.writer()) {
      writer.append(block);
      writer.flush();
    }
  }

  private void commit() {
    table.committed(new Frontier(Map.of(0, offset)));
    store.rollUp();
  }

  @Test
  void hoursExpireRelativeToTheNewest() {
    openFor(2);
    for (int hour = 0; hour < 6; hour++) {
      write(hour);
    }
    commit();
    store.retain();
    assertThat(table.rows()).as("of one hour some may stay").isEqualTo(3 * ROWS);
    assertThat(table.retention().rows()).isEqualTo(3 * ROWS);
    assertThat(table.retention().lateRows()).isZero();
  }

  @Test
  void rowsStayUntilTheyAreRolledUp() {
    openFor(1);
    write(0);
    write(5);
    store.retain();
    assertThat(table.rows()).as("no checkpoint covers them").isEqualTo(2 * ROWS);
    commit();
    store.retain();
    assertThat(table.rows()).isEqualTo(ROWS);
  }

  @Test
  void lateRowsExpireToo() {
    openFor(1);
    write(0);
    write(5);
    commit();
    store.retain();
    write(0);
    commit();
    store.retain();
    assertThat(table.rows()).isEqualTo(ROWS);
    assertThat(table.retention().lateRows()).isEqualTo(ROWS);
  }

  @Test
  void withoutRollupsACheckpointIsEnough() {
    open(new RetentionConfig(Duration.ofHours(1), 0), RollupConfig.NONE);
    write(0);
    write(5);
    commit();
    store.retain();
    assertThat(table.rows()).isEqualTo(ROWS);
  }

  @Test
  void topReportsTheCoveredTime() {
    openFor(1);
    for (int hour = 0; hour < 8; hour++) {
      write(hour);
    }
    commit();
    store.retain();
    FlowQuery ports = FlowQuery.top(3, Measure.BITS, "dst_port");
    TopResult scanned = store.top(ports.withScan(true));
    assertThat(scanned.from()).isAfterOrEqualTo(instant(START + HOUR));
    TopResult rolled = store.top(ports);
    assertThat(rolled.from()).isEqualTo(instant(START));
    assertThat(rolled.rows().stream().mapToLong(TopResult.Row::flows).sum()).isPositive();
    assertThat(rolled.total()).isGreaterThan(scanned.total());
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  @Test
  void theSizeStaysBelowItsLimit() {
    long limit = 20L << 20;
    open(new RetentionConfig(Duration.ofDays(1_000), limit), RollupConfig.NONE);
    for (int hour = 0; hour < 120; hour++) {
      write(hour);
    }
    commit();
    assertThat(store.diskBytes()).as("enough was written").isGreaterThan(limit + (1 << 20));
    store.retain();
    assertThat(store.diskBytes()).isLessThanOrEqualTo(limit);
    assertThat(table.retention().rows()).isBetween(1L, 100L * ROWS);
    for (int hour = 120; hour < 132; hour++) {
      write(hour);
      commit();
      store.retain();
      assertThat(store.diskBytes()).isLessThanOrEqualTo(limit);
    }
    assertThat(table.rows() + table.retention().rows()).isEqualTo(132L * ROWS);
  }

  @Test
  void aRollupStaysBelowItsOwnSize() {
    Duration ever = Duration.ofDays(1_000);
    open(
        new RetentionConfig(ever, 0),
        RollupConfig.DEFAULT.withRetention(
            new RollupConfig.Retention(ever, ever, ever, 300_000, 0, 0)));
    for (int hour = 0; hour < 40; hour++) {
      write(hour);
    }
    commit();
    assertThat(oldest("minute")).isGreaterThan(oldest("five")).isGreaterThan(START);
    assertThat(oldest("five")).isEqualTo(START);
    assertThat(oldest("hour")).isEqualTo(START);
  }

  /** Start of the oldest bucket in the view of a grain. */
  private long oldest(String grain) {
    return AnswerRows.number(store, "SELECT epoch_us(min(bucket)) FROM flows_" + grain + "_port");
  }

  @Test
  void removalsSurviveAReopening() {
    openFor(1);
    write(0);
    write(5);
    commit();
    store.retain();
    store.close();
    openFor(1);
    assertThat(table.retention().rows()).isEqualTo(ROWS);
    table.rewind(Frontier.EMPTY);
    assertThat(table.rows()).isEqualTo(ROWS);
    offset = 0;
    write(0);
    write(5);
    assertThat(table.rows()).as("what was removed does not come back").isEqualTo(ROWS);
  }
}
