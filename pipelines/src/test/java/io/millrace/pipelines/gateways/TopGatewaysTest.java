package io.millrace.pipelines.gateways;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.ResultTable;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.sink.BlockSink;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopGatewaysTest {
  private static final LocalDate DAY = LocalDate.of(2026, 3, 1);

  @TempDir private Path directory;
  private Store store;
  private TopGateways gateways;

  @BeforeEach
  void open() {
    store = new DuckDbStore(directory, StoreConfig.defaults());
    new GatewaysPipeline().tables().forEach(store::results);
    new GatewaysPipeline().views().forEach(store::resultView);
    gateways = new TopGateways(store);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void add(LocalDate day, String gateway, long tx, long rx, int records, int dropped) {
    TableBlock block = new TableBlock(GatewaysPipeline.DAYS.schema(), 1);
    block.longs(0)[0] = day.atStartOfDay(ZoneOffset.UTC).toEpochSecond() * 1_000_000;
    block.texts(1).add(gateway);
    block.longs(2)[0] = tx;
    block.longs(3)[0] = rx;
    block.longs(5)[0] = records;
    block.longs(7)[0] = dropped;
    block.rows(1);
    ResultTable table = store.results(GatewaysPipeline.DAYS);
    try (BlockSink<TableBlock, Long> writer = table.writer(0)) {
      writer.append(block);
      writer.flush();
    }
  }

  private List<String> view() {
    List<String> rows = new ArrayList<>();
    try (QueryResult result =
        store.query(
            new QueryRequest(
                "SELECT day || ' ' || gateway || ' ' || total FROM gateway_top ORDER BY day, rank",
                Duration.ofSeconds(10),
                Long.MAX_VALUE,
                false))) {
      while (result.next()) {
        rows.add(String.valueOf(result.value(0)));
      }
    }
    return rows;
  }

  /** Rows of an earlier release, whose sums were not bounded. */
  @Test
  void theGreatestPossibleNumbersAreHandled() {
    add(DAY, "small", 1, 2, 1, 0);
    add(DAY, "huge", Long.MAX_VALUE, Long.MAX_VALUE, 1, 0);

    BigInteger twice = BigInteger.valueOf(Long.MAX_VALUE).shiftLeft(1);
    assertThat(view()).containsExactly(DAY + " huge " + twice, DAY + " small 3");
    assertThat(gateways.of(Optional.empty(), 10).rows())
        .extracting(TopGateways.Row::total)
        .containsExactly(twice, BigInteger.valueOf(3));
    assertThat(gateways.marks()).containsOnlyKeys(DAY);
  }

  /** A clock that is a year ahead does not determine the newest day. */
  @Test
  void daysWithOnlyDroppedRecordsAreIgnored() {
    add(DAY, "right", 1, 2, 1, 0);
    add(DAY.plusYears(1), "ahead", 0, 0, 0, 3);

    assertThat(gateways.of(Optional.empty(), 10).day()).contains(DAY);
    assertThat(view()).containsExactly(DAY + " right 3");
    assertThat(gateways.marks()).containsOnlyKeys(DAY);
  }
}
