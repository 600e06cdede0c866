package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.TopRequest;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.rollup.RollupModel;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RollupsTest {
  private static final long START = 1_700_000_000_000_000L / 3_600_000_000L * 3_600_000_000L;
  private static final long MINUTE = 60_000_000L;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  private static final FlowSchema SCHEMA = new FlowSchema(List.of());

  @TempDir Path directory;

  private Path folder;
  private DuckDbStore store;
  private long offset;

  @BeforeEach
  void start() {
    folder = directory.resolve("store");
    open(config(10, Map.of()));
  }

  @AfterEach
  void stop() {
    store.close();
  }

  private static RollupConfig config(int keep, Map<String, List<String>> sets) {
    RollupConfig defaults = RollupConfig.DEFAULT;
    return new RollupConfig(
        true,
        keep,
        defaults.accounting(),
        sets,
        defaults.longestFlow(),
        defaults.longestDelay(),
        defaults.retention());
  }

  private void open(RollupConfig config) {
    store = new DuckDbStore(folder, StoreConfig.defaults(), config);
  }

  private FlowTable table() {
    return store.table(Store.FLOWS, SCHEMA);
  }

  /** A row for each port from 0 on, of 1,000 bytes times its number. */
  private void write(long time, int ports) {
    List<RollupModel.Row> rows = new ArrayList<>();
    for (int port = 0; port < ports; port++) {
      rows.add(row(time, port, 1_000L * port, 1));
    }
    write(rows);
  }

  private RollupModel.Row row(long time, int port, long bytes, int rate) {
    return new RollupModel.Row(
        0, offset, time, port, 1, 1, bytes, rate, RollupModel.NULL, RollupModel.NULL);
  }

  private void write(List<RollupModel.Row> rows) {
    FlowTable table = table();
    try (FlowWriter writer = table.writer(Flows.LATER)) {
      writer.append(RollupModel.block(rows));
      writer.flush();
    }
    table.committed(new Frontier(Map.of(0, ++offset)));
  }

  private List<String> rows(String sql) {
    List<String> rows = new ArrayList<>();
    try (QueryResult result = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 100_000))) {
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 0; i < result.columns().size(); i++) {
          row.add(String.valueOf(result.value(i)));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }

  /** What is stored behind the views: the store is closed meanwhile. */
  private List<String> stored(String sql) throws SQLException {
    store.close();
    List<String> rows = new ArrayList<>();
    try (DuckDBConnection connection =
            (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute("ATTACH '" + folder.resolve(DuckDbStore.FILE_NAME) + "' AS millrace");
      statement.execute("USE millrace");
      try (ResultSet result = statement.executeQuery(sql)) {
        while (result.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            row.add(result.getString(i));
          }
          rows.add(String.join("|", row));
        }
      }
    }
    open(config(10, Map.of()));
    return rows;
  }

  @Test
  void closedBucketsKeepTheLargestGroupsAndBoundTheOthers() throws SQLException {
    write(START, 100);
    write(START + 20 * MINUTE, 5);
    store.rollUp();
    assertThat(
            rows(
                "SELECT dst_port, bytes FROM flows_minute_port WHERE bucket = make_timestamp(%d) ORDER BY 1 DESC"
                    .formatted(START)))
        .hasSizeBetween(10, 20)
        .contains("99|99000", "90|90000")
        .doesNotContain("50|50000");
    assertThat(
            stored(
                "SELECT grain, sum(bytes) + (SELECT sum(bytes) FROM raw.flows__port_minute),"
                    + " sum(bound_bytes) FROM raw.rollup__rest WHERE set_name = 'port' AND grain ="
                    + " 'MINUTE' GROUP BY 1"))
        .containsExactly("MINUTE|4950000|89000");
  }

  @Test
  void lateGroupsThatWereDroppedStayDroppedAndRaiseTheBound() throws SQLException {
    write(START, 100);
    write(START + 20 * MINUTE, 5);
    store.rollUp();
    write(List.of(row(START + 1, 50, 7_000, 1), row(START + 1, 99, 5_000, 1)));
    store.rollUp();
    assertThat(
            rows(
                "SELECT dst_port, bytes FROM flows_minute_port WHERE bucket = make_timestamp(%d) AND dst_port IN (50, 99)"
                    .formatted(START)))
        .containsExactly("99|104000");
    assertThat(
            stored(
                "SELECT sum(bytes) + (SELECT sum(bytes) FROM raw.flows__port_minute),"
                    + " sum(bound_bytes) FROM raw.rollup__rest WHERE set_name = 'port' AND grain ="
                    + " 'MINUTE'"))
        .containsExactly("4962000|96000");
  }

  /** As when a capture of a quiet month is read at once. */
  @Test
  void manyBucketsAreFoldedInLittleMemory() {
    store.close();
    store =
        new DuckDbStore(
            folder, StoreConfig.defaults().withMemoryBytes(128L << 20), RollupConfig.DEFAULT);
    int keep = RollupConfig.DEFAULT.keep();
    write(START, 3 * keep);
    List<RollupModel.Row> rows = new ArrayList<>();
    for (int minute = 60; minute < 20_000; minute++) {
      rows.add(row(START + minute * MINUTE, minute % 7, 1_000, 1));
    }
    write(rows);
    store.rollUp();
    assertThat(rows("SELECT count(DISTINCT bucket), count(*) > 25000 FROM flows_minute_port"))
        .containsExactly("19941|true");
    assertThat(
            rows(
                "SELECT count(*) FROM flows_hour_port WHERE bucket = make_timestamp(%d)"
                    .formatted(START)))
        .containsExactly(String.valueOf(2 * keep)); // by bytes the last ports, by packets the first
  }

  @Test
  void hoursAreExactWhereMinutesHaveDroppedGroups() {
    // Port 5 is small in each minute, and the largest of the hour.
    for (int minute = 0; minute < 30; minute++) {
      List<RollupModel.Row> rows = new ArrayList<>();
      for (int port = 100 * (minute + 1); port < 100 * (minute + 1) + 30; port++) {
        rows.add(row(START + minute * MINUTE, port, 1_000, 1));
      }
      rows.add(row(START + minute * MINUTE, 5, 900, 1));
      write(rows);
    }
    write(START + 120 * MINUTE, 1);
    store.rollUp();
    assertThat(rows("SELECT bytes FROM flows_hour_port WHERE dst_port = 5"))
        .containsExactly("27000");
  }

  @Test
  void daysAreExactWhereHoursHaveDroppedGroups() throws SQLException {
    // Port 5 is small in each hour, and the largest of the day.
    long day = START - Math.floorMod(START, DAY) + DAY;
    for (int hour = 0; hour < 24; hour++) {
      List<RollupModel.Row> rows = new ArrayList<>();
      for (int port = 100 * (hour + 1); port < 100 * (hour + 1) + 30; port++) {
        rows.add(row(day + hour * HOUR, port, 1_000, 1));
      }
      rows.add(row(day + hour * HOUR, 5, 900, 1));
      write(rows);
      if (hour % 5 == 4) {
        store.rollUp();
      }
    }
    // A late one, of an hour that is over in a day that is not.
    write(List.of(row(day + 60 * MINUTE, 5, 50, 1)));
    store.rollUp();
    assertThat(rows("SELECT bytes FROM flows_day_port WHERE dst_port = 5"))
        .containsExactly("21650");
    write(day + 25 * 60 * MINUTE, 1);
    store.rollUp();
    assertThat(rows("SELECT bytes FROM flows_day_port WHERE dst_port = 5"))
        .containsExactly("21650");
    // And one of a day that is over.
    write(List.of(row(day + 60 * MINUTE, 5, 7, 1)));
    store.rollUp();
    assertThat(rows("SELECT sum(bytes)::BIGINT FROM flows_day_port WHERE dst_port = 5"))
        .containsExactly("21657");
    assertThat(
            stored(
                "SELECT count(*) FROM raw.flows__port_open_hour WHERE bucket < make_timestamp(%d)"
                    .formatted(day + DAY)))
        .containsExactly("0");
  }

  @Test
  void finerBucketsAnswerForOneThatHasDroppedGroups() {
    for (int minute = 0; minute < 130; minute++) { // in each ten ports, of 20 in an hour
      for (int value = 0; value < 2; value++) {
        List<RollupModel.Row> rows = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
          rows.add(row(START + minute * MINUTE, minute % 60 / 30 * 10 + i % 10, i, 1));
        }
        write(rows);
      }
    }
    store.rollUp();
    TopRequest request = TopRequest.of(100, TopRequest.Measure.BYTES, "dst_port");
    TopResult top = store.top(request);
    assertThat(top.source()).startsWith("rollup port: 25 × 5 minutes, ");
    assertThat(top.rows()).hasSize(20).isEqualTo(store.top(request.withScan(true)).rows());
    assertThat(top.rows()).allSatisfy(row -> assertThat(row.bound()).isZero());
    assertThat(top.others()).isZero();
  }

  @Test
  void plansSeeEveryChange() {
    TopRequest request = TopRequest.of(10, TopRequest.Measure.BYTES, "dst_port");
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
    table().rewind(new Frontier(Map.of(0, 4L)));
    answersAsRowsDo(request);
    assertThat(store.top(request).source()).startsWith("rollup port: ");
    table().rewind(Frontier.EMPTY);
    assertThat(store.top(request).rows()).isEmpty();
  }

  private void answersAsRowsDo(TopRequest request) {
    assertThat(store.top(request).rows()).isEqualTo(store.top(request.withScan(true)).rows());
  }

  @Test
  void countsOnlyBucketsInWhichThereWasSomething() {
    write(START + 30 * MINUTE, 3);
    write(START + 30 * MINUTE + 10_000_000, 3);
    store.rollUp();
    TopRequest request = TopRequest.of(10, TopRequest.Measure.BYTES, "dst_port");
    assertThat(store.top(request).source()).isEqualTo("rollup port: 1 open minute");
    assertThat(store.top(request).seconds()).isEqualTo(10);
    write(START + 200 * MINUTE, 3);
    store.rollUp();
    assertThat(store.top(request).source())
        .isEqualTo("rollup port: 1 day, 1 hour, 3 × 5 minutes, 4 minutes and 2 open minutes");
  }

  @Test
  void daysBeginWhereASetWasKeptWithoutThem() throws SQLException {
    write(START, 3);
    write(START + HOUR, 3);
    store.rollUp();
    store.close();
    try (DuckDBConnection connection =
            (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute("ATTACH '" + folder.resolve(DuckDbStore.FILE_NAME) + "' AS millrace");
      statement.execute("USE millrace");
      statement.execute("DROP VIEW main.flows_day_port");
      statement.execute("DROP TABLE raw.flows__port_day");
      statement.execute("DROP TABLE raw.flows__port_open_hour");
      statement.execute("DELETE FROM raw.rollup__grains WHERE set_name = 'port' AND grain = 'DAY'");
    }
    open(config(10, Map.of()));
    long nextDay = START - Math.floorMod(START, DAY) + DAY;
    write(nextDay, 2);
    write(nextDay + 25 * 60 * MINUTE, 1);
    store.rollUp();
    assertThat(
            rows(
                "SELECT epoch_us(bucket), sum(\"rows\")::BIGINT FROM flows_day_port GROUP BY 1"
                    + " ORDER BY 1"))
        .containsExactly(nextDay + "|2", nextDay + DAY + "|1");
    assertThat(rows("SELECT sum(\"rows\")::BIGINT FROM flows_hour_port")).containsExactly("9");
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
    table().rewind(new Frontier(Map.of(0, 1L)));
    assertThat(rows("SELECT bytes, scaled_bytes FROM flows_minute_port")).containsExactly("10|10");
  }

  @Test
  void rewindsThatNeedMoreThan64BitsGetThem() {
    write(List.of(row(START, 1, Long.MAX_VALUE, 1)));
    store.rollUp();
    write(List.of(row(START + MINUTE, 2, Long.MAX_VALUE, 1)));
    store.rollUp();
    write(List.of(row(START, 1, Long.MAX_VALUE, 1)));
    store.rollUp();
    table().rewind(Frontier.EMPTY);
    assertThat(rows("SELECT * FROM flows_minute_port")).isEmpty();
  }

  @Test
  void whatACrashLeavesIsCarriedOn() throws IOException {
    write(START, 3);
    store.rollUp();
    write(START + MINUTE, 3);
    Path copy = Files.createDirectories(directory.resolve("copy"));
    for (String name : List.of(DuckDbStore.FILE_NAME, DuckDbStore.FILE_NAME + ".wal")) {
      if (Files.exists(folder.resolve(name))) {
        Files.copy(folder.resolve(name), copy.resolve(name));
      }
    }
    store.close();
    folder = copy;
    open(config(10, Map.of()));
    store.rollUp();
    assertThat(rows("SELECT bucket, sum(\"rows\")::BIGINT FROM flows_minute_port GROUP BY 1"))
        .hasSize(2)
        .allMatch(row -> row.endsWith("|3"));
    table().rewind(new Frontier(Map.of(0, 1L)));
    assertThat(rows("SELECT sum(\"rows\")::BIGINT FROM flows_minute_port")).containsExactly("3");
  }

  @Test
  void sumsAreTakenOffWhileRollupsAreSwitchedOff() {
    write(START, 3);
    write(START, 3);
    store.rollUp();
    store.close();
    open(RollupConfig.NONE);
    table().rewind(new Frontier(Map.of(0, 1L)));
    assertThat(rows("SELECT sum(\"rows\")::BIGINT FROM flows_minute_port")).containsExactly("3");
  }

  @Test
  void whatWasSpreadByOtherBoundsIsTakenOffByThem() {
    FlowTable table = table();
    List<RollupModel.Row> flow =
        List.of(
            new RollupModel.Row(
                0, 0, START + 10 * MINUTE, 1, 1, 60, 600, 1, START, START + 10 * MINUTE));
    write(flow);
    store.rollUp();
    store.close();
    RollupConfig defaults = RollupConfig.DEFAULT;
    open(
        new RollupConfig(
            true,
            10,
            defaults.accounting(),
            Map.of(),
            Duration.ofMinutes(2),
            defaults.longestDelay(),
            defaults.retention()));
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
    table().rewind(Frontier.EMPTY);
    assertThat(rows("SELECT * FROM flows_minute_port")).isEmpty();
  }

  @Test
  void bucketsGoWhenTheyAreOld() throws SQLException {
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
  void declaredSetsAreDroppedWhenTheyAreTakenOut() {
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
  void setsOfMissingColumnsAreRefusedWhereTheyAreDeclaredAndLeftOutByDefault() {
    write(START, 3);
    assertThatThrownBy(() -> rows("SELECT * FROM flows_hour_as")).hasMessageContaining("exist");
    store.close();
    open(config(10, Map.of("city", List.of("src_city"))));
    assertThatThrownBy(this::table)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rollups.sets.city: the table flows has no column src_city");
  }
}
