package io.millrace.store.duckdb.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.wire.block.Frontier;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RowExtentTest {
  private static final RowExtent ROWS = new RowExtent(7, 100, 200, 1, 3, 40, 50);

  @Test
  void endOfAPeriodIsExclusive() {
    assertThat(ROWS.mayHave(200, 300)).isTrue();
    assertThat(ROWS.mayHave(201, 300)).isFalse();
    assertThat(ROWS.mayHave(50, 101)).isTrue();
    assertThat(ROWS.mayHave(50, 100)).isFalse();
    assertThat(RowExtent.NONE.mayHave(Long.MIN_VALUE, Long.MAX_VALUE)).isFalse();
  }

  @Test
  void rowsFollowAFrontierThatEndsWithinOrLacksAPartition() {
    assertThat(ROWS.mayFollow(new Frontier(Map.of(1, 51L, 2, 51L, 3, 51L)))).isFalse();
    assertThat(ROWS.mayFollow(new Frontier(Map.of(1, 51L, 2, 50L, 3, 51L)))).isTrue();
    assertThat(ROWS.mayFollow(new Frontier(Map.of(0, 1L, 1, 51L, 2, 51L, 9, 1L)))).isTrue();
    assertThat(ROWS.mayFollow(Frontier.EMPTY)).isTrue();
    assertThat(RowExtent.NONE.mayFollow(Frontier.EMPTY)).isFalse();
  }

  @Test
  void rowsAreInARangeOfOneOfTheirPartitions() {
    assertThat(ROWS.mayHave(range(2, 50, 60))).isTrue();
    assertThat(ROWS.mayHave(range(2, 51, 60))).isFalse();
    assertThat(ROWS.mayHave(range(2, 30, 41))).isTrue();
    assertThat(ROWS.mayHave(range(2, 30, 40))).isFalse();
    assertThat(ROWS.mayHave(range(2, 45, 45))).isFalse();
    assertThat(ROWS.mayHave(range(4, 0, 100))).isFalse();
    assertThat(ROWS.mayHave(range(0, 0, 100))).isFalse();
  }

  @Test
  void noConditionIfAllRowsAreInTheRange() {
    Frontier all = new Frontier(Map.of(1, 51L, 2, 51L, 3, 51L));
    assertThat(ROWS.within(new LogRange(Frontier.EMPTY, all))).isEqualTo("true");
    Frontier some = new Frontier(Map.of(1, 51L, 2, 50L, 3, 51L));
    assertThat(ROWS.within(new LogRange(Frontier.EMPTY, some))).contains("log_offset < 50");
    assertThat(ROWS.within(new LogRange(new Frontier(Map.of(3, 41L)), all)))
        .contains("log_offset >= 41");
  }

  private static LogRange range(int partition, long from, long to) {
    return new LogRange(new Frontier(Map.of(partition, from)), new Frontier(Map.of(partition, to)));
  }

  @Test
  void boundsOfNoRowsChangeNothing() {
    assertThat(ROWS.and(RowExtent.NONE)).isEqualTo(ROWS);
    assertThat(ROWS.and(new RowExtent(1, 10, 10, 0, 0, 99, 99)))
        .isEqualTo(new RowExtent(8, 10, 200, 0, 3, 40, 99));
  }
}
