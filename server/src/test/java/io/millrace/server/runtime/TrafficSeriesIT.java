package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowSchema;
import io.millrace.store.FlowWriter;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrafficSeriesIT {
  private static final long NOW = 1_700_000_100_000L;
  private static final int RATE = 1_000;

  @TempDir Path directory;
  private long offset;

  /** Rows that are stored together count in the seconds in which they arrived. */
  @Test
  void rowsAreCountedInTheSecondInWhichTheyReachedTheCollector() {
    TrafficSeries series = new TrafficSeries();
    try (Store store = new DuckDbStore(directory, StoreConfig.defaults())) {
      store(store, NOW - 5_000, NOW - 4_000, NOW - 4_000, NOW - 1_000);
      series.sample(store, NOW);
      assertThat(last(series, 6)).containsExactly(8e5, 16e5, 0.0, 0.0, 8e5, 0.0);
      store(store, NOW - 3_000, NOW + 900);
      series.sample(store, NOW + 1_000);
      assertThat(last(series, 6)).containsExactly(16e5, 8e5, 0.0, 8e5, 8e5, 0.0);
    }
  }

  @Test
  void aClockYearsAheadLeavesNoTraffic() {
    TrafficSeries series = new TrafficSeries();
    try (Store store = new DuckDbStore(directory, StoreConfig.defaults())) {
      series.sample(store, NOW + 94_608_000_000L);
      store(store, NOW - 1_000);
      series.sample(store, NOW);
      assertThat(last(series, 2)).containsExactly(8e5, 0.0);
      assertThat(series.report(NOW)).containsEntry("end_ms", NOW + 1_000);
    }
  }

  @Test
  void incompleteSecondsAreMarked() {
    TrafficSeries series = new TrafficSeries();
    assertThat(series.report(0)).containsEntry("open_steps", 0L).containsEntry("end_ms", 0L);
    try (Store store = new DuckDbStore(directory, StoreConfig.defaults())) {
      store(store, NOW);
      series.sample(store, NOW + 400);
      Map<String, Object> told = series.report(NOW - 600);
      assertThat(told).containsEntry("end_ms", NOW + 1_000).containsEntry("open_steps", 2L);
      assertThat((List<?>) told.get("bits_per_second")).hasSize(TrafficSeries.STEPS);
      assertThat(series.report(NOW - 3_600_000)).containsEntry("open_steps", 300L);
    }
  }

  private static List<Object> last(TrafficSeries series, int steps) {
    List<?> bits = (List<?>) series.report(NOW).get("bits_per_second");
    return List.copyOf(bits.subList(bits.size() - steps, bits.size()));
  }

  /** Stores a row of 100 bytes, sampled 1 in 1000, at each of the times. */
  private void store(Store store, long... millis) {
    try (FlowWriter writer = store.table(Store.FLOWS, new FlowSchema(List.of())).writer()) {
      FlowBlock block = new FlowBlock(millis.length);
      for (FlowColumn column : FlowColumn.ALL) {
        if (column.type().isInt()) {
          Arrays.fill(block.ints(column), column == FlowColumn.SAMPLING_RATE ? RATE : 1);
        } else if (column.type().isLong()) {
          Arrays.fill(block.longs(column), 100);
        } else {
          Arrays.fill(block.addressHigh(column), Addresses.NULL);
          Arrays.fill(block.addressLow(column), Addresses.NULL);
        }
      }
      for (int i = 0; i < millis.length; i++) {
        block.longs(FlowColumn.TIME)[i] = millis[i] * 1_000;
      }
      for (int i = 0; i < millis.length; i++) {
        block.logIndex()[i] = i;
      }
      block.logPosition(0, offset++);
      block.rows(millis.length);
      writer.append(block);
      writer.flush();
    }
  }
}
