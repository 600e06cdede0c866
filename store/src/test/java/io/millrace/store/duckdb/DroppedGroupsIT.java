package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowQuery;
import io.millrace.store.StoreConfig;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.rollup.RollupModel;
import io.millrace.store.rollup.RollupConfig;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Buckets that keep only the largest groups, and the sources for the others. */
class DroppedGroupsIT extends RollupStore {
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
    // By bytes the last ports; by packets as many, some of which are among these.
    assertThat(
            rows(
                "SELECT count(*) FILTER (dst_port >= %d), count(*) BETWEEN %d AND %d FROM flows_hour_port WHERE bucket = make_timestamp(%d)"
                    .formatted(2 * keep, keep + 1, 2 * keep, START)))
        .containsExactly(keep + "|true");
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
    // A late one, in a closed hour of an open day.
    write(List.of(row(day + 60 * MINUTE, 5, 50, 1)));
    store.rollUp();
    assertThat(rows("SELECT bytes FROM flows_day_port WHERE dst_port = 5"))
        .containsExactly("21650");
    write(day + 25 * 60 * MINUTE, 1);
    store.rollUp();
    assertThat(rows("SELECT bytes FROM flows_day_port WHERE dst_port = 5"))
        .containsExactly("21650");
    // And one in a closed day.
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
  void shorterBucketsReplaceOneThatDroppedGroups() {
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
    FlowQuery request = FlowQuery.top(100, FlowQuery.Measure.BITS, "dst_port");
    TopResult top = store.top(request);
    assertThat(top.source()).startsWith("rollup port: 25 × 5 minutes, ");
    assertThat(top.rows()).hasSize(20).isEqualTo(store.top(request.withScan(true)).rows());
    assertThat(top.rows()).allSatisfy(row -> assertThat(row.bound()).isZero());
    assertThat(top.others()).isZero();
  }
}
