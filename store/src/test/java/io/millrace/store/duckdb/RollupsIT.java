package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.FlowQuery;
import io.millrace.store.FlowTable;
import io.millrace.store.Store;
import io.millrace.store.duckdb.rollup.RollupModel;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.math.BigInteger;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RollupsIT extends RollupStore {
  /** Blocks in 30 hours: one every 90 or 45 minutes. */
  private static final int BLOCKS = Boolean.getBoolean("millrace.long") ? 40 : 20;

  @Test
  void plansSeeEveryChange() {
    FlowQuery request = FlowQuery.top(10, FlowQuery.Measure.BITS, "dst_port");
    for (int day = 0; day < 4; day++) {
      write(START + day * DAY, 8);
      answersAsRowsDo(request);
      store.rollUp();
      answersAsRowsDo(request);
      write(List.of(row(START, 3, 77, 1), row(START + 26 * 60 * MINUTE, 4, 1, 1)));
      answersAsRowsDo(request);
      store.rollUp();
      answersAsRowsDo(request);
    }
    table().rewind(Frontier.EMPTY); // commits all rows
    answersAsRowsDo(request);
    assertThat(store.top(request).source()).startsWith("rollup port: ");
  }

  private void answersAsRowsDo(FlowQuery request) {
    assertThat(store.top(request).rows()).isEqualTo(store.top(request.withScan(true)).rows());
  }

  @Test
  void countsOnlyBucketsWithRows() {
    write(START + 30 * MINUTE, 3);
    write(START + 30 * MINUTE + 10_000_000, 3);
    store.rollUp();
    FlowQuery request = FlowQuery.top(10, FlowQuery.Measure.BITS, "dst_port");
    assertThat(store.top(request).source()).isEqualTo("rollup port: 1 open minute");
    assertThat(store.top(request).seconds()).isEqualTo(10);
    write(START + 200 * MINUTE, 3);
    store.rollUp();
    assertThat(store.top(request).source())
        .isEqualTo("rollup port: 1 day, 1 hour, 3 × 5 minutes, 4 minutes and 2 open minutes");
  }

  /** Each version makes all queries read the facts about rollups again. */
  @Test
  void aRollAndItsFoldsAreTwoVersionsForAllSets() throws SQLException {
    store.close();
    open(RollupConfig.DEFAULT);
    write(START, 3);
    store.rollUp();
    long before = version();
    long opened = version(); // reading it reopens the store, which raises it too
    write(START + 2 * MINUTE, 3);
    store.rollUp();
    assertThat(version() - opened - (opened - before)).isEqualTo(2);
    assertThat(stored("SELECT count(*) FROM raw.flows__port_minute")).containsExactly("3");
  }

  private long version() throws SQLException {
    return Long.parseLong(stored("SELECT version FROM raw.rollup__versions").get(0));
  }

  @Test
  void sumsBeyond64BitsAreExact() {
    long most = Long.MAX_VALUE;
    BigInteger ten = BigInteger.TEN;
    BigInteger two = BigInteger.valueOf(most).shiftLeft(1);
    BigInteger rate = BigInteger.valueOf(Integer.MAX_VALUE);
    write(List.of(row(START, 1, 10, 1)));
    store.rollUp();
    write(List.of(row(START, 1, most, Integer.MAX_VALUE), row(START, 1, most, Integer.MAX_VALUE)));
    store.rollUp();
    assertThat(rows("SELECT bytes, scaled_bytes FROM flows_minute_port"))
        .containsExactly(ten.add(two) + "|" + ten.add(two.multiply(rate)));
  }

  @Test
  void rollupsContinueAfterACrash() throws IOException {
    write(START, 3);
    store.rollUp();
    write(START + MINUTE, 3);
    StoreCopies.crash(folder, store::close);
    open(config(10, Map.of()));
    store.rollUp();
    assertThat(rows("SELECT bucket, sum(\"rows\")::BIGINT FROM flows_minute_port GROUP BY 1"))
        .hasSize(2)
        .allMatch(row -> row.endsWith("|3"));
  }

  @Test
  void changedBoundsApplyToLaterRows() {
    FlowTable table = table();
    List<RollupModel.Row> flow =
        List.of(
            new RollupModel.Row(
                0, 0, START + 10 * MINUTE, 1, 1, 60, 600, 1, START, START + 10 * MINUTE));
    write(flow);
    store.rollUp();
    store.close();
    open(RollupConfig.DEFAULT.withKeep(10).withLongestFlow(Duration.ofMinutes(2)));
    assertThat(table.name()).isEqualTo(Store.FLOWS);
    write(
        List.of(
            new RollupModel.Row(
                0, 1, START + 10 * MINUTE, 2, 1, 60, 600, 1, START, START + 10 * MINUTE)));
    store.rollUp();
    assertThat(
            rows(
                "SELECT dst_port, count(*), sum(bytes)::BIGINT FROM flows_minute_port GROUP BY 1"
                    + " ORDER BY 1"))
        .containsExactly("1|10|600", "2|2|600");
  }

  @Test
  void oldBucketsAreRemoved() throws SQLException {
    write(START, 3);
    write(START + Duration.ofDays(40).toMillis() * 1_000, 3);
    store.rollUp();
    assertThat(rows("SELECT count(*) FROM flows_minute_port")).containsExactly("3");
    assertThat(rows("SELECT count(*) FROM flows_five_port")).containsExactly("6");
    assertThat(
            stored(
                "SELECT count(DISTINCT from_micros) FROM raw.rollup__grains WHERE set_name ="
                    + " 'port'"))
        .containsExactly("4");
  }

  @Test
  void removedDeclarationsDropTheirSets() {
    store.close();
    open(config(10, Map.of("customer", List.of("src_vlan", "proto"))));
    write(START, 3);
    store.rollUp();
    assertThat(rows("SELECT proto, \"rows\" FROM flows_hour_customer")).containsExactly("6|3");
    store.close();
    open(config(10, Map.of()));
    assertThatThrownBy(() -> rows("SELECT * FROM flows_hour_customer"))
        .hasMessageContaining("flows_hour_customer");
  }

  @Test
  void disabledDefaultSetsAreDroppedAndRecreatedFromRows() throws SQLException {
    store.close();
    open(RollupConfig.DEFAULT);
    write(START, 3);
    write(START + 5 * HOUR, 3);
    store.rollUp();
    FlowQuery request = FlowQuery.top(10, FlowQuery.Measure.BITS, "in_if");
    assertThat(store.top(request).source()).startsWith("rollup interface");
    store.close();
    open(RollupConfig.DEFAULT.withSets(Map.of("interface", List.of())));
    assertThat(store.top(request).source()).isEqualTo("rows");
    assertThat(rows("SELECT count(*) FROM flows_minute_src")).containsExactly("6");
    assertThat(stored("SELECT set_name FROM raw.rollup__sets ORDER BY 1"))
        .containsExactly("dst", "port", "src");
    assertThat(
            stored(
                "SELECT schema_name, view_name FROM duckdb_views() WHERE contains(view_name, '_interface') UNION ALL SELECT schema_name, table_name FROM duckdb_tables() WHERE contains(table_name, '__interface')"))
        .isEmpty();
    store.close();
    open(RollupConfig.DEFAULT);
    store.rollUp();
    assertThat(store.top(request).source()).startsWith("rollup interface");
    answersAsRowsDo(request);
    assertThatThrownBy(() -> config(10, Map.of("city", List.of())))
        .hasMessage(
            "rollups.sets.city: missing columns; an empty list disables a default set:"
                + " as, domain, src, dst, port, interface, member");
  }

  @Test
  void setsWithMissingColumnsAreRejectedIfDeclaredAndSkippedByDefault() {
    store.close();
    open(RollupConfig.DEFAULT);
    write(START, 3);
    assertThatThrownBy(() -> rows("SELECT * FROM flows_hour_as")).hasMessageContaining("exist");
    store.close();
    open(config(10, Map.of("city", List.of("src_city"))));
    assertThatThrownBy(this::table)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rollups.sets.city: the table flows has no column src_city");
  }

  @Test
  void hoursWithinOneRollEqualThoseFromOpenMinutes() throws SQLException {
    List<List<String>> apart = rolledEach(1, "apart");
    List<List<String>> together = rolledEach(BLOCKS / 2, "together");
    assertThat(apart).allSatisfy(rows -> assertThat(rows).isNotEmpty());
    assertThat(together).isEqualTo(apart);
  }

  /** Stored tables of 30 hours whose five-minute buckets dropped groups. */
  private List<List<String>> rolledEach(int blocks, String name) throws SQLException {
    store.close();
    folder = directory.resolve(name);
    open(config(10, Map.of()));
    offset = 0;
    Random random = new Random(7);
    for (int block = 1; block <= BLOCKS; block++) {
      List<RollupModel.Row> rows = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        long time = START + block * (30 * HOUR / BLOCKS) + i * 10_000_000L;
        rows.add(row(time, random.nextInt(40), random.nextInt(5), 1 + random.nextInt(2)));
      }
      write(rows);
      if (block % blocks == 0) {
        store.rollUp();
      }
    }
    return storedTables();
  }

  private List<List<String>> storedTables() throws SQLException {
    String sums =
        "SELECT '%1$s', bucket, dst_port, spread, sum(COLUMNS(['rows', 'packets', 'bytes',"
            + " 'scaled_packets', 'scaled_bytes'])) FROM raw.flows__port_%1$s GROUP BY ALL";
    return List.of(
        stored(
            Stream.of("open", "open_hour", "minute", "five", "hour", "day")
                .map(sums::formatted)
                .collect(Collectors.joining(" UNION ALL ", "FROM (", ") ORDER BY ALL"))),
        stored("SELECT * FROM raw.rollup__rest WHERE set_name = 'port' ORDER BY ALL"),
        stored("SELECT * FROM raw.rollup__grains ORDER BY ALL"));
  }
}
