package io.millrace.store.duckdb.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.offsets.RowArrivals;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.rollup.Grain;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is found by hints is what is found without them. */
class StoredRowsTest {
  private static final RowArrivals UNKNOWN = new RowArrivals();

  private static final String TABLE = "flows";
  private static final long DAY = Grain.DAY.micros();

  private RolledFlows flows;

  @BeforeEach
  void open() throws SQLException {
    flows = new RolledFlows(3, 300, false);
  }

  @AfterEach
  void close() throws SQLException {
    flows.close();
  }

  private long oldest() throws SQLException {
    return StoredRows.oldest(flows.root, TABLE, Long.MAX_VALUE);
  }

  private void deleteBefore(long micros, FlowPart part) throws SQLException {
    flows.execute(
        "DELETE FROM %s WHERE time < %s"
            .formatted(Catalog.raw(part.tableName(TABLE)), SqlTime.timestamp(micros)));
  }

  private static Map<FlowPart, Long> both(long micros) {
    Map<FlowPart, Long> both = new EnumMap<>(FlowPart.class);
    for (FlowPart part : FlowPart.values()) {
      both.put(part, micros);
    }
    return both;
  }

  private StoredRows read(Frontier rolled, Map<FlowPart, Long> oldest) throws SQLException {
    return StoredRows.read(
        flows.root, TABLE, 1, new StoredRows.Hints(Long.MIN_VALUE, rolled, oldest), UNKNOWN);
  }

  private long lastOffset(StoredRows.Hints hints, RowArrivals arrivals) throws SQLException {
    return StoredRows.read(flows.root, TABLE, 1, hints, arrivals)
        .parts()
        .get(FlowPart.PACKETS)
        .lastOffset();
  }

  private StoredRows readAll() throws SQLException {
    return StoredRows.read(flows.root, TABLE, 1, StoredRows.Hints.NONE, UNKNOWN);
  }

  @Test
  void oldestRowIsFoundHoweverFarItHasMoved() throws SQLException {
    long first = oldest();
    for (long hours = 1; hours < 54; hours += 7) {
      long before = first + hours * Grain.HOUR.micros();
      for (FlowPart part : FlowPart.values()) {
        deleteBefore(before, part);
      }
      assertThat(oldest()).isGreaterThanOrEqualTo(before);
      for (long known : new long[] {first - 5_000 * DAY, first - 900 * DAY, first, oldest()}) {
        assertThat(StoredRows.oldest(flows.root, TABLE, known)).isEqualTo(oldest());
        assertThat(read(Frontier.EMPTY, both(known))).isEqualTo(readAll());
      }
    }
  }

  @Test
  void rowOlderThanAllBeforeIsFound() throws SQLException {
    assertThat(StoredRows.oldest(flows.root, TABLE, oldest() + DAY)).isEqualTo(oldest());
    assertThat(read(Frontier.EMPTY, both(oldest() + DAY))).isEqualTo(readAll());
  }

  @Test
  void partWithoutRowsHasNoOldest() throws SQLException {
    long first = oldest();
    deleteBefore(Long.MAX_VALUE / 2, FlowPart.RECORDS);
    assertThat(StoredRows.oldest(flows.root, TABLE, first)).isEqualTo(oldest());
    assertThat(read(Frontier.EMPTY, both(first))).isEqualTo(readAll());
    deleteBefore(Long.MAX_VALUE / 2, FlowPart.PACKETS);
    assertThat(StoredRows.oldest(flows.root, TABLE, first)).isEqualTo(Long.MAX_VALUE);
    assertThat(read(Frontier.EMPTY, both(first)).oldest()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void partitionsThatAreKnownAreNotLookedFor() throws SQLException {
    for (FlowPart part : FlowPart.values()) {
      StoredRows.Part all = readAll().parts().get(part);
      LogRange.Partitions there =
          new LogRange.Partitions(all.firstPartition(), all.lastPartition());
      assertThat(StoredRows.partitions(flows.root, TABLE, part, new LogRange.Partitions(1, 1)))
          .isEqualTo(there);
      assertThat(StoredRows.partitions(flows.root, TABLE, part, new LogRange.Partitions(-3, 9)))
          .isEqualTo(new LogRange.Partitions(-3, 9));
      assertThat(read(new Frontier(Map.of(1, 0L)), Map.of()).parts().get(part)).isEqualTo(all);
    }
  }

  /** What is rolled up of a partition with many values lies beyond the frontier of one with few. */
  @Test
  void offsetsOfRowsThatArrivedBeforeAllNewOnesAreNotLookedFor() throws SQLException {
    Frontier rolled = new Frontier(Map.of(0, 10L, 1, 10_000L));
    RowArrivals arrivals = new RowArrivals();
    arrivals.nothingAfter(rolled);
    arrivals.storing(1, 10_000, RolledFlows.START + 30 * Grain.HOUR.micros());
    StoredRows.Hints hints = new StoredRows.Hints(Long.MIN_VALUE, rolled, Map.of());
    flows.execute(
        "DELETE FROM %s WHERE time >= %s"
            .formatted(
                Catalog.raw(FlowPart.PACKETS.tableName(TABLE)),
                SqlTime.timestamp(RolledFlows.START + 30 * Grain.HOUR.micros())));
    assertThat(lastOffset(hints, UNKNOWN)).isGreaterThan(10);
    assertThat(lastOffset(hints, arrivals)).isEqualTo(9);

    arrivals.storing(1, 10_001, RolledFlows.START);
    assertThat(lastOffset(hints, arrivals)).isEqualTo(lastOffset(hints, UNKNOWN));
  }
}
