package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowQuery;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.sink.BlockSink;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterfaceFivesTest {
  /** 1 November 2026, 00:00 UTC. */
  private static final long START = 1_793_491_200L;

  private static final long SPEED = 10_000_000_000L;

  @TempDir private Path directory;
  private final InterfaceFives fives = new InterfaceFives();
  private final List<TableBlock> tables = new ArrayList<>();

  /** Counters of an interface, at a number of seconds after the start. */
  private void counted(long second, int number, long in, long out) {
    CounterBlock counters = new CounterBlock(1);
    counters.longs(CounterColumn.TIME)[0] = (START + second) * 1_000_000;
    counters.addressHigh(CounterColumn.EXPORTER)[0] = 0;
    counters.addressLow(CounterColumn.EXPORTER)[0] = Addresses.v4Low(0xC0000201);
    counters.addressHigh(CounterColumn.AGENT)[0] = 0;
    counters.addressLow(CounterColumn.AGENT)[0] = Addresses.v4Low(0xC0000201);
    counters.ints(CounterColumn.SUB_AGENT)[0] = 0;
    counters.ints(CounterColumn.IF_INDEX)[0] = number;
    counters.longs(CounterColumn.IF_SPEED)[0] = SPEED;
    counters.longs(CounterColumn.IN_OCTETS)[0] = in;
    counters.longs(CounterColumn.OUT_OCTETS)[0] = out;
    counters.rows(1);
    TableBlock rows = fives.rows(counters);
    if (rows != null) {
      tables.add(rows);
    }
  }

  private void write(Store store) throws Exception {
    FlowsPipeline pipeline = new FlowsPipeline();
    pipeline.tables().forEach(store::results);
    pipeline.views().forEach(store::resultView);
    try (BlockSink<TableBlock, Long> writer = store.results(InterfaceFives.TABLE).writer(0)) {
      for (TableBlock rows : tables) {
        writer.append(rows);
      }
      writer.flush();
    }
  }

  private List<String> query(String sql) throws Exception {
    try (Store store = new DuckDbStore(directory, StoreConfig.defaults())) {
      write(store);
      List<String> rows = new ArrayList<>();
      try (QueryResult result = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 100))) {
        while (result.next()) {
          StringBuilder row = new StringBuilder();
          for (int i = 0; i < result.columns().size(); i++) {
            row.append(i == 0 ? "" : " ").append(result.value(i));
          }
          rows.add(row.toString());
        }
      }
      return rows;
    }
  }

  @Test
  void theFirstCountersOfFiveMinutesAreARow() throws Exception {
    for (int second = 0; second < 900; second += 20) {
      counted(second, 7, second, second);
      counted(second, 8, second, second);
    }
    assertThat(tables).hasSize(6);
    assertThat(
            query(
                "SELECT interface, strftime(time, '%M:%S'), in_octets FROM interface_counters_five"
                    + " ORDER BY ALL"))
        .containsExactly(
            "7 00:00 0", "7 05:00 300", "7 10:00 600", "8 00:00 0", "8 05:00 300", "8 10:00 600");
  }

  @Test
  void resetsAndWrapsAndJumpsGiveNoPeaksAndLostRowsNone() throws Exception {
    long mega = 37_500_000; // bytes in 300 s at 1 Mbit/s
    counted(0, 7, 1_000 * mega, 10 * mega);
    counted(300, 7, 1_001 * mega, 12 * mega);
    counted(600, 7, 5 * mega, 1 * mega); // the device restarted
    counted(900, 7, 8 * mega, 5 * mega);
    counted(1_200, 7, 900_000_000L * mega, 6 * mega); // an invalid value
    counted(1_500, 7, 14 * mega, 7 * mega);
    counted(1_800, 7, 15 * mega, FlowBlock.NULL);
    counted(2_100, 7, 16 * mega, 9 * mega);
    counted(2_400, 7, 18 * mega, 10 * mega);
    counted(6_000, 7, 9_000 * mega, 10 * mega); // an hour without counters
    counted(6_300, 7, 9_003 * mega, 10 * mega);
    assertThat(
            query(
                "SELECT strftime(time, '%H:%M'), in_bits, out_bits FROM interface_fives ORDER BY 1"))
        .containsExactly(
            "00:00 1000000.0 2000000.0",
            "00:10 3000000.0 4000000.0",
            "00:35 2000000.0 1000000.0",
            "01:40 3000000.0 0.0");
  }

  @Test
  void severalRowsOfTheSameFiveMinutesCountOnce() throws Exception {
    counted(0, 7, 0, 0);
    counted(300, 7, 37_500_000, 0);
    InterfaceFives other = new InterfaceFives(); // another subtask, which sees later counters
    CounterBlock later = new CounterBlock(1);
    later.longs(CounterColumn.TIME)[0] = (START + 320) * 1_000_000;
    later.addressLow(CounterColumn.EXPORTER)[0] = Addresses.v4Low(0xC0000201);
    later.addressLow(CounterColumn.AGENT)[0] = Addresses.v4Low(0xC0000201);
    later.ints(CounterColumn.IF_INDEX)[0] = 7;
    later.longs(CounterColumn.IF_SPEED)[0] = SPEED;
    later.longs(CounterColumn.IN_OCTETS)[0] = 90_000_000;
    later.rows(1);
    tables.add(other.rows(later));
    counted(600, 7, 75_000_000, 0);
    assertThat(query("SELECT strftime(time, '%M'), in_bits FROM interface_fives ORDER BY 1"))
        .containsExactly("00 1000000.0", "05 1000000.0");
  }

  /** Of 100 values, the 5 largest are dropped, and the sixth is the result. */
  @Test
  void theMonthlyPercentileLeavesOutTheLargestTwentieth() throws Exception {
    long in = 0;
    long out = 0;
    counted(0, 7, in, out);
    for (int i = 1; i <= 100; i++) {
      in += 37_500L * (i * 37 % 101); // 1 to 100 kbit/s in shuffled order
      out += 37_500L * 5;
      counted(300L * i, 7, in, out);
    }
    counted(300L * 101, 7, in, out); // a value of 0
    assertThat(
            query(
                "SELECT month, exporter, interface, speed, fives, in_p95, out_p95"
                    + " FROM interface_months"))
        .containsExactly("2026-11-01 192.0.2.1 7 10000000000 101 95000.0 5000.0");
  }

  @Test
  void portsOfAResultHaveThePercentileOfTheirCountersInItsTime() throws Exception {
    for (int i = 0; i <= 100; i++) {
      counted(300L * i, 7, 37_500L * i, 75_000L * i);
      counted(300L * i + 1, 8, 112_500L * i, 0);
    }
    try (Store store = new DuckDbStore(directory, StoreConfig.defaults())) {
      assertThat(PortPercentiles.of(store, request("exporter", "in_if"), result("in_if", 0, 6_000)))
          .as("a store without counters")
          .isEmpty();
      write(store);
      assertThat(PortPercentiles.of(store, request("exporter", "in_if"), result("in_if", 0, 6_000)))
          .contains(Arrays.asList(3_000.0, 1_000.0, null, null));
      assertThat(
              PortPercentiles.of(store, request("out_if", "exporter"), result("out_if", 0, 6_000)))
          .contains(Arrays.asList(0.0, 2_000.0, null, null));
      assertThat(
              PortPercentiles.of(
                  store, request("exporter", "in_if"), result("in_if", 40_000, 60_000)))
          .as("a time without counters")
          .contains(Arrays.asList(null, null, null, null));
      assertThat(
              PortPercentiles.of(
                  store,
                  request("exporter", "in_if").withFilter("proto = 6"),
                  result("in_if", 0, 6_000)))
          .as("some of the flows")
          .isEmpty();
    }
  }

  private static FlowQuery request(String... dimensions) {
    return FlowQuery.top(10, FlowQuery.Measure.BITS, dimensions).withP95(true);
  }

  private static TopResult result(String side, long from, long to) {
    List<TopResult.Row> rows = new ArrayList<>();
    for (String port : new String[] {"8 eth8", "7", "9", null}) {
      rows.add(new TopResult.Row(Arrays.asList("192.0.2.1 switch-1", port), 1, 1));
    }
    return new TopResult(
        List.of("exporter", side),
        rows,
        3,
        0,
        0,
        0,
        to - from,
        false,
        "rows",
        Instant.ofEpochSecond(START + from),
        Instant.ofEpochSecond(START + to),
        (int) (to - from) / 300);
  }
}
