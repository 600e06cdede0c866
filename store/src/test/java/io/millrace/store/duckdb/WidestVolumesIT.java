package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.store.FlowQuery;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.rollup.RollupModel;
import io.millrace.store.rollup.Grain;
import io.millrace.testing.GrafanaSql;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowBounds;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Volumes of rows with the maximum bytes, packets and rate. */
class WidestVolumesIT extends RollupStore {
  /** Load shedding raises a rate of at most {@link FlowBounds#MAX_RATE} up to this. */
  private static final int RATE = -2;

  private static final int BLOCKS = 6;
  private static final int ROWS = 2_000;

  private static final Instant FAR = Instant.parse("2100-01-01T00:00:00Z");

  private static final BigInteger VOLUME =
      BigInteger.valueOf(FlowBounds.MAX_BYTES)
          .multiply(BigInteger.valueOf(RATE & 0xFFFF_FFFFL))
          .multiply(BigInteger.valueOf((long) BLOCKS * ROWS));

  @BeforeEach
  void fill() {
    for (int block = 0; block < BLOCKS; block++) {
      List<RollupModel.Row> rows = new ArrayList<>();
      for (int i = 0; i < ROWS; i++) {
        long time = START + 20 * MINUTE * block + i * 1_000L;
        rows.add(
            new RollupModel.Row(
                0,
                offset,
                time,
                i % 3,
                1,
                FlowBounds.MAX_PACKETS,
                FlowBounds.MAX_BYTES,
                RATE,
                i % 2 == 0 ? time - 7 * MINUTE : RollupModel.NULL,
                i % 2 == 0 ? time : RollupModel.NULL));
      }
      write(rows);
    }
    store.rollUp();
  }

  @Test
  void areExactInEveryQuery() {
    for (String sum :
        new String[] {
          "sum(bytes * sampling_rate) FROM flows",
          "sum(sampling_rate * bytes) FROM flows",
          "sum(bytes * coalesce(sampling_rate, 1)) FROM flows",
          "sum(bytes * sampling_rate) FROM flows WHERE bytes > 0",
          "sum(bytes * sampling_rate) FROM flows_committed",
          "sum(b * r) FROM (SELECT bytes AS b, sampling_rate AS r FROM flows)",
          "sum(v) FROM (SELECT bytes * sampling_rate AS v FROM flows)",
          "count(*) * max(bytes * sampling_rate) FROM flows",
          "sum(Bytes * SamplingRate) FROM akvorado_flows",
          "sum(scaled_bytes) FROM flows_" + Grain.MINUTE.label() + "_port",
        }) {
      assertThat(rows("SELECT " + sum)).as(sum).containsExactly(VOLUME.toString());
    }
    assertThat(rows("SELECT DISTINCT sampling_rate FROM flows")).containsExactly("4294967294");
  }

  @Test
  void ofOverflowingProductsAreAnErrorWithAdvice() {
    assertThatThrownBy(() -> rows("SELECT max(bytes * bytes) FROM flows"))
        .hasMessageContaining("bytes::HUGEINT");
    assertThat(rows("SELECT max(bytes::HUGEINT * bytes) > 0 FROM flows")).containsExactly("true");
  }

  @Test
  void ofAnUnknownRatePreventRollupsOnlyForTheirRows() {
    long last = START + BLOCKS * 20 * MINUTE;
    write(List.of(row(last, 1, 100, FlowBlock.NULL)));
    store.rollUp();
    String sum =
        "SELECT dst_port, sum(bytes * sampling_rate) FROM flows WHERE time < '%s' GROUP BY 1";
    assertThat(String.join("\n", rows("EXPLAIN " + sum.formatted(text(last)))))
        .contains("rollup port");
    assertThat(String.join("\n", rows("EXPLAIN " + sum.formatted(text(last + MINUTE)))))
        .doesNotContain("rollup port");
  }

  @Test
  void ofPublishedQueriesAreComputed() throws IOException {
    List<String> asked = published();
    assertThat(asked).hasSizeGreaterThan(6);
    for (String sql : asked) {
      assertThat(rows(sql)).as(sql).isNotNull();
    }
  }

  private static String text(long micros) {
    return Instant.ofEpochSecond(micros / 1_000_000).toString().replace("Z", "");
  }

  /** Queries of volumes in documents, in Grafana and in the console. */
  private static List<String> published() throws IOException {
    List<String> queries = new ArrayList<>();
    queries.add(
        "SELECT exporter, in_if, sum(bytes * sampling_rate) * 8 / 300 AS bit_per_second FROM flows"
            + " WHERE time >= (SELECT max(time) FROM flows) - INTERVAL 5 MINUTE GROUP BY ALL ORDER"
            + " BY bit_per_second DESC LIMIT 20");
    queries.add(
        "SELECT in_if, sum((bytes + 18 * packets) * sampling_rate) * 8 / 300 AS bit_per_second,"
            + " sum(bytes) / sum(packets) AS bytes_a_packet FROM flows GROUP BY ALL");
    queries.add(
        "SELECT date_trunc('minute', flow_start) + to_minutes(i) AS minute, sum(bytes *"
            + " sampling_rate / (1 + date_diff('minute', flow_start, flow_end))) * 8 / 60 FROM"
            + " (SELECT flow_start, flow_end, bytes, sampling_rate, unnest(range(1 +"
            + " date_diff('minute', flow_start, flow_end))) AS i FROM flows WHERE flow_start IS"
            + " NOT NULL AND flow_end >= flow_start) GROUP BY minute ORDER BY minute");
    for (Path dashboard : GrafanaSql.dashboards()) {
      for (JsonNode text :
          new ObjectMapper().readTree(dashboard.toFile()).findValues("queryText")) {
        queries.add(GrafanaSql.expanded(text.asText(), Instant.EPOCH, FAR, "'192.0.2.1'"));
      }
    }
    queries.add("SELECT src_addr, sum(bytes * sampling_rate) AS b FROM flows GROUP BY ALL");
    queries.removeIf(sql -> !sql.contains("sampling_rate") || sql.contains("_as")); // no data sets
    return queries;
  }

  @Test
  void areInTopAndSeries() {
    for (FlowQuery.Measure measure : List.of(FlowQuery.Measure.BITS, FlowQuery.Measure.PACKETS)) {
      for (String filter : new String[] {"", "bytes > 0", "bps > 1"}) {
        for (boolean isScan : new boolean[] {false, true}) {
          for (boolean isP95 : new boolean[] {false, true}) {
            FlowQuery request = FlowQuery.top(10, measure, "dst_port").withScan(isScan);
            request = filter.isEmpty() ? request : request.withFilter(filter);
            TopResult top = store.top(request.withP95(isP95));
            assertThat(top.rows()).as("%s", request).isNotEmpty();
            assertThat(top.rows()).allMatch(row -> row.volume() > 0x1p63);
            if (!isP95 && filter.isEmpty() && measure == FlowQuery.Measure.BITS) {
              assertThat(top.total()).isCloseTo(VOLUME.doubleValue(), Percentage.withPercentage(1));
            }
          }
        }
      }
    }
    for (FlowQuery.Measure measure : FlowQuery.Measure.values()) {
      assertThat(store.series(FlowQuery.series(measure, "dst_port")).period().groups())
          .as("%s", measure)
          .isNotEmpty();
    }
  }
}
